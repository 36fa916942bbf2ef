#pragma once
// The result of a search over layouts: text, JSON, CSV and a page over one list of columns.

#include <string>

#include "base/json.hpp"
#include "sim/report/html/page.hpp"
#include "sim/run/layouts/layout_search.hpp"

namespace fabricast::inline layouts {

std::string layouts_table(const LayoutSearch& search);
Json layouts_json(const LayoutSearch& search);
Records layouts_records(const LayoutSearch& search);
html::Page layouts_page(const Scenario& scenario, const LayoutSearch& search);

}  // namespace fabricast::inline layouts
