#pragma once
// A page as one HTML file.

#include <string>

#include "base/error.hpp"
#include "sim/report/html/page.hpp"

namespace fabricast::inline report::html {

// This build does not contain the drawing library, so no page can be written (exit code 4).
struct MissingCharts : ErrorWith<ExitCode::missing_here> {
    using ErrorWith::ErrorWith;
};

bool has_charts();  // whether this build has what pages are drawn with

// Throws MissingCharts. Call it before a long run, so that the run does not end without its page.
void require_charts();

// The JSON that the page's script reads.
Json page_json(const Page& page);

// The whole file. It needs no other file; equal pages give equal bytes. Throws MissingCharts.
std::string page_html(const Page& page);

}  // namespace fabricast::inline report::html
