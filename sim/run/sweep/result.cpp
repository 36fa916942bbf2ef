#include "sim/run/sweep/result.hpp"

#include <algorithm>

#include "base/sqlite.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "sim/report/result_file.hpp"

namespace fabricast {

Records records_of(const SweepResult& result) {
    Records table{{"point"}, {}};
    table.columns.insert(table.columns.end(), result.varied.begin(), result.varied.end());
    table.columns.insert(table.columns.end(), result.figures.begin(), result.figures.end());
    table.columns.emplace_back("error");
    for (const SweepRow& row : result.rows) {
        std::vector<Json>& cells = table.rows.emplace_back(1, row.point);
        cells.insert(cells.end(), row.varied.begin(), row.varied.end());
        cells.insert(cells.end(), row.figures.begin(), row.figures.end());
        cells.push_back(row.error.empty() ? Json() : Json(row.error));
    }
    return table;
}

html::Unit unit_of(const std::string& figure) {
    using enum html::Unit;
    if (figure.ends_with("_Bps")) {
        return rate;
    }
    if (figure.ends_with("_bytes")) {
        return size;
    }
    if (figure.ends_with("_s") && !figure.ends_with("_per_s")) {
        return time;
    }
    return figure == "mfu" || figure == "efficiency" || figure == "busbw_retained" ? share : count;
}

std::size_t failed_points(const SweepResult& result) {
    // A failed point has exactly one row.
    return static_cast<std::size_t>(
        std::ranges::count_if(result.rows, [](const SweepRow& row) { return !row.error.empty(); }));
}

std::optional<ResultKind> result_kind(const std::filesystem::path& out) {
    const std::string ending = lower_case(out.extension().string());
    if (ending == ".csv") {
        return ResultKind::csv;
    }
    const bool sqlite = ending == ".sqlite" || ending == ".sqlite3" || ending == ".db";
    return sqlite ? std::optional(ResultKind::sqlite) : std::nullopt;
}

void write_result(const std::filesystem::path& out, const SweepResult& result) {
    const Records table = records_of(result);
    if (result_kind(out) == ResultKind::sqlite) {
        const SqliteTable about{"about",
                                {"name", "value"},
                                {{"scenario", result.scenario}, {"program", "fabricast"}, {"version", version()}}};
        write_sqlite(out, {about, {"sweep", table.columns, table.rows}});
    } else {
        write_atomically(out, csv_text(table));
    }
}

}  // namespace fabricast
