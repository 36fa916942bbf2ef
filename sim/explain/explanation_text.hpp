#pragma once
// An explanation for people.

#include <string>

#include "sim/explain/explained_run.hpp"

namespace fabricast {

// What was run, then its blame: a line for each kind, then the largest entries. Lines without `#` are figures.
std::string blame_table(const std::string& scenario, const ExplainedRun& run);

}  // namespace fabricast
