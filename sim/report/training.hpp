#pragma once
// Training steps as text.

#include <string>
#include <vector>

#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast {

// The parts of the step, then the scaling table if there are several cluster sizes; empty without steps.
std::string step_table(const Scenario& scenario, const std::vector<StepRow>& steps);

}  // namespace fabricast
