#pragma once
// A study as text, JSON and CSV.

#include <string>

#include "base/json.hpp"
#include "sim/run/study/study.hpp"

namespace fabricast::inline studies {

// The designs as columns, best first; then how each differs from the design that was named first.
std::string study_table(const Study& study);

// Everything, with the parts lists. Names end in their unit: SI base units and USD.
Json study_json(const Study& study);

// A line for each design, best first.
std::string study_csv(const Study& study);

}  // namespace fabricast::inline studies
