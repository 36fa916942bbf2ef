#pragma once
// The figures of a sweep point: the rows of its report, whatever its kind of workload.

#include <string>
#include <vector>

#include "sim/report/columns.hpp"
#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast {

// The columns that a report of this scenario has in a sweep.
std::vector<std::string> figure_columns(const Scenario& scenario);

// Collective and transfer: a row for each size, then one for each cluster of the scaling table. Training: a row for
// each cluster, with `efficiency` null if there is only one to compare. Trace: one row. If the scenario has asserts,
// `failed_asserts` says which of them failed.
Records figure_records(const Scenario& scenario, const Report& report);

}  // namespace fabricast
