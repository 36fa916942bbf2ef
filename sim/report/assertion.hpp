#pragma once
// What a scenario claims about its result, as "busbw(1 GiB) > 300 GB/s" or "efficiency(16) >= 0.9".

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
