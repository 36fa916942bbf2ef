#pragma once
// Training steps as text and as JSON.

#include <string>
#include <vector>

#include "base/json.hpp"
#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast {

// The parts of the step, then the scaling table if there are several cluster sizes; empty without steps.
std::string step_table(const Scenario& scenario, const std::vector<StepRow>& steps);

Json steps_json(const std::vector<StepRow>& steps);
Json steps_json_schema();

}  // namespace fabricast
