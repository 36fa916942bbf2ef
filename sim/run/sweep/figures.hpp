#pragma once
// The figures of a point: the rows of its report, whatever kind of workload it has.

#include <string>
#include <vector>

#include "sim/report/records.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast {

// The columns that a report of this scenario has in a sweep.
std::vector<std::string> figure_columns(const Scenario& scenario);

// A row for each size of a collective or a transfer, then for each cluster of its scaling table; for each cluster of a
// training step; one for a trace. `efficiency` is null where there is but one cluster to compare. Where the scenario
// asserts something, `failed_asserts` says what did not hold.
Records figure_records(const Scenario& scenario, const Report& report);

}  // namespace fabricast
