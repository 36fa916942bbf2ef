#pragma once
// A page as one HTML file.

#include <stdexcept>
#include <string>

#include "sim/report/html/page.hpp"

namespace fabricast::html {

// This build does not contain the drawing library, so no page can be written (exit code 4).
struct MissingCharts : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Throws MissingCharts. Call it before a long run, so that the run does not end without its page.
void require_charts();

// The whole file. It needs no other file; equal pages give equal bytes. Throws MissingCharts.
std::string page_html(const Page& page);

}  // namespace fabricast::html
