#pragma once
// The rows of a report as plain tables of named columns, for whatever writes tables: CSV, sweeps, notebooks.

#include <string>
#include <vector>

#include "base/json.hpp"
#include "sim/report/report.hpp"

namespace fabricast {

struct Records {
    std::vector<std::string> columns;     // the names of the results' JSON, in the order of its documentation
    std::vector<std::vector<Json>> rows;  // null: not known
};

Records row_records(const std::vector<Row>& rows);
Records point_records(const std::vector<ScalingPoint>& points);
Records step_records(const std::vector<StepRow>& steps);

// One line of RFC 4180: quotes around what holds a comma, a quote or a line break.
std::string csv_line(const std::vector<Json>& cells);

}  // namespace fabricast
