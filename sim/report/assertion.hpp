#pragma once
// What a scenario claims about its result, as "busbw >= 350 GB/s at 1 GiB", "efficiency >= 0.9 at 1024 gpus" or
// "step_time <= 2 s"; or, shorter, "busbw(1 GiB) >= 350 GB/s". Without a place, every cluster has to meet it.

#include <string>
#include <vector>

#include "sim/io/yaml.hpp"
#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast {

// Throws ScenarioError where the statement is not one of the accepted forms.
void check_assertion(const yaml::Node& node);

// The asserts of the scenario that the report does not meet, each with what was found; also those that name a size or a
// node count the report does not hold.
std::vector<std::string> failed_asserts(const Scenario& scenario, const Report& report);

}  // namespace fabricast
