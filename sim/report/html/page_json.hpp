#pragma once
// A page as the data that its scripts draw.

#include "sim/report/html/page.hpp"

namespace fabricast::html {

// What the page's script reads.
Json page_json(const Page& page);

}  // namespace fabricast::html
