#pragma once
// Training steps for people and for programs.

#include <string>
#include <vector>

#include "base/json.hpp"
#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast {

// The step's parts, then the scaling table where there is more than one size; empty without steps.
std::string step_table(const Scenario& scenario, const std::vector<StepRow>& steps);

Json steps_json(const std::vector<StepRow>& steps);
Json steps_json_schema();

}  // namespace fabricast
