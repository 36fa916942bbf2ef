#pragma once
// A sweep on the terminal: what varies and the figures that a planner looks at first.

#include <string>

#include "sim/run/sweep/result.hpp"

namespace fabricast {

std::string sweep_table(const SweepResult& result);

}  // namespace fabricast
