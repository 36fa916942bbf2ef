#pragma once
// The rows of a report as plain tables of named columns, for every writer of tables: CSV, sweeps, notebooks.

#include <string>
#include <vector>

#include "base/json.hpp"
#include "sim/report/report.hpp"

namespace fabricast {

struct Records {
    std::vector<std::string> columns;     // names as in the result's JSON, in the order of its documentation
    std::vector<std::vector<Json>> rows;  // null: not known
};

Records row_records(const std::vector<Row>& rows);
Records point_records(const std::vector<ScalingPoint>& points);
Records step_records(const std::vector<StepRow>& steps);

// One line as of RFC 4180: a cell with a comma, a quote or a line break is put in quotes.
std::string csv_line(const std::vector<Json>& cells);

}  // namespace fabricast
