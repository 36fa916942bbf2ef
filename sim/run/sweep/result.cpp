#include "sim/run/sweep/result.hpp"

#include "sim/report/columns.hpp"

namespace fabricast {

std::vector<std::string> columns_of(const SweepResult& result) {
    std::vector<std::string> columns = {"point"};
    columns.insert(columns.end(), result.varied.begin(), result.varied.end());
    columns.insert(columns.end(), result.figures.begin(), result.figures.end());
    columns.emplace_back("error");
    return columns;
}

std::vector<Json> cells_of(const SweepRow& row) {
    std::vector<Json> cells = {row.point};
    cells.insert(cells.end(), row.varied.begin(), row.varied.end());
    cells.insert(cells.end(), row.figures.begin(), row.figures.end());
    cells.push_back(row.error.empty() ? Json() : Json(row.error));
    return cells;
}

std::string sweep_csv(const SweepResult& result) {
    Records table{columns_of(result), {}};
    for (const SweepRow& row : result.rows) {
        table.rows.push_back(cells_of(row));
    }
    return csv_text(table);
}

std::size_t failed_points(const SweepResult& result) {
    std::size_t failed = 0;
    for (const SweepRow& row : result.rows) {
        failed += row.error.empty() ? 0U : 1U;  // a failed point has exactly one row
    }
    return failed;
}

}  // namespace fabricast
