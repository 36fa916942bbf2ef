#pragma once
// The figures of a sweep point: the rows of its report, whatever its kind of workload.

#include <string>
#include <vector>

#include "base/json.hpp"
#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast::inline sweep {

struct SweepFigures {
    std::vector<std::string> columns;  // of every report of the scenario
    std::vector<Json> rows;            // objects, with the columns that the row has a value for
};

// Collective and transfer: a row for each size, then one for each cluster of the scaling table. Training: a row for
// each cluster, with an `efficiency` if there are several to compare. Trace: one row. If the scenario has asserts,
// `failed_asserts` says which of them failed.
SweepFigures sweep_figures(const Scenario& scenario, const Report& report);

}  // namespace fabricast::inline sweep
