#pragma once
// A study, in every form in which it is shown.

#include <string>

#include "base/json.hpp"
#include "sim/report/html/page.hpp"
#include "sim/run/study/study.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast::inline studies {

// The designs as columns, best first; then how each differs from the design that was named first.
std::string study_table(const Study& study);

// Everything, with the parts lists. Names end in their unit: SI base units and USD.
Json study_json(const Study& study);

// A line for each design, best first.
Records study_records(const Study& study);

// The designs, how they differ, and their parts lists. `scenario`: the scenario of the first design.
html::Page study_page(const Scenario& scenario, const Study& study);

}  // namespace fabricast::inline studies
