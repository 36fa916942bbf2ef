#pragma once
// A study as a page: the designs, how they differ, and their parts lists.

#include "sim/report/html/page.hpp"
#include "sim/run/study/study.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast::inline studies {

// `scenario`: the scenario of the first design.
html::Page study_page(const Scenario& scenario, const Study& study);

}  // namespace fabricast::inline studies
