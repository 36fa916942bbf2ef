#pragma once
// An explanation as a page: the blame, a tornado of the counterfactuals, and where scaling bends.

#include "sim/report/html/page.hpp"
#include "sim/run/explain/explanation_text.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast::inline explain {

html::Page explanation_page(const Scenario& scenario, const Explanation& explanation);

}  // namespace fabricast::inline explain
