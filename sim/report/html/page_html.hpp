#pragma once
// A page as one HTML file.

#include <stdexcept>
#include <string>

#include "sim/report/html/page.hpp"

namespace fabricast::html {

// This build holds no drawing library: nothing can be written (exit code 4).
struct MissingCharts : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Throws MissingCharts. Call it before a long run, that its end be no surprise.
void require_charts();

// The whole file: self-contained, the same bytes for the same page. Throws MissingCharts.
std::string page_html(const Page& page);

}  // namespace fabricast::html
