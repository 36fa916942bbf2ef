#pragma once
// A study for people and for programs.

#include <string>

#include "base/json.hpp"
#include "sim/run/study/study.hpp"

namespace fabricast {

// Designs as columns, best first; then how the others differ from the first that was named.
std::string study_table(const Study& study);

// Everything, with the parts lists: SI base units and USD in the names.
Json study_json(const Study& study);

// A line for each design, best first.
std::string study_csv(const Study& study);

}  // namespace fabricast
