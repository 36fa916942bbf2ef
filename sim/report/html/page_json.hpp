#pragma once
// A page as the data that its scripts draw.

#include "sim/report/html/page.hpp"

namespace fabricast::inline report::html {

// The JSON that the page's script reads.
Json page_json(const Page& page);

}  // namespace fabricast::inline report::html
