#pragma once
// Whether a report keeps what its scenario claims.

#include <string>
#include <vector>

#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast {

// The asserts of the scenario that the report does not meet, each with what was found; also those that name a size or a
// node count the report does not hold.
std::vector<std::string> failed_asserts(const Scenario& scenario, const Report& report);

}  // namespace fabricast
