#include "sim/run/sweep/result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include "base/sqlite.hpp"
#include "base/text.hpp"
#include "base/text_file.hpp"
#include "base/unit_text.hpp"
#include "sim/report/result_file.hpp"

namespace fabricast::inline sweep {

namespace {

// The columns of the table, with their headings; the others are only in the file, and the batch where all have the
// same.
constexpr std::array<std::pair<const char*, const char*>, 15> first_figures = {{{"gpus", "gpus"},
                                                                                {"global_batch", "batch"},
                                                                                {"size_bytes", "size"},
                                                                                {"time_s", "time"},
                                                                                {"busbw_Bps", "busbw"},
                                                                                {"algorithm", "algorithm"},
                                                                                {"protocol", "protocol"},
                                                                                {"step_time_s", "step"},
                                                                                {"tokens_per_s", "tokens/s"},
                                                                                {"mfu", "MFU"},
                                                                                {"efficiency", "efficiency"},
                                                                                {"exposed_comm_s", "exposed"},
                                                                                {"makespan_s", "makespan"},
                                                                                {"bottleneck", "bottleneck"},
                                                                                {"failed_asserts", "failed asserts"}}};

bool varies(const SweepResult& result, std::size_t figure) {
    std::set<Json> values;
    for (const SweepRow& row : result.rows) { values.insert(row.figures[figure]); }
    values.erase(Json());
    return values.size() > 1;
}

std::string cell_text(const std::string& figure, const Json& cell) {
    if (cell.is_string()) { return cell.get<std::string>(); }
    if (!cell.is_number()) { return "-"; }
    const auto value = cell.get<double>();
    const html::Unit unit = unit_of(figure);
    if (unit == html::Unit::size && cell.is_number_integer()) { return text(Bytes{cell.get<std::int64_t>()}); }
    if (unit == html::Unit::rate || unit == html::Unit::time) {
        return text(value, unit == html::Unit::rate ? Dimension::rate : Dimension::time);
    }
    return value >= 1e4 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

using Cells = std::vector<std::string>;

// Pads each column to its widest cell, except the last.
std::string aligned(const std::vector<Cells>& lines) {
    std::vector<std::size_t> widths(lines.front().size());
    for (const Cells& line : lines) {
        for (std::size_t i = 0; i < line.size(); ++i) { widths[i] = std::max(widths[i], line[i].size()); }
    }
    std::string all;
    for (const Cells& line : lines) {
        for (std::size_t i = 0; i + 1 < line.size(); ++i) { all += fmt::format("{:>{}}  ", line[i], widths[i]); }
        all += line.back() + "\n";
    }
    return all;
}

}  // namespace

std::string short_name(const std::string& path, const std::vector<std::string>& all) {
    const std::string leaf = path.substr(path.rfind('.') + 1);
    const auto same = std::ranges::count_if(
        all, [&](const std::string& other) { return other == leaf || other.ends_with("." + leaf); });
    return same == 1 ? leaf : path;
}

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
    if (figure.ends_with("_Bps")) { return rate; }
    if (figure.ends_with("_bytes")) { return size; }
    if (figure.ends_with("_s") && !figure.ends_with("_per_s")) { return time; }
    return figure == "mfu" || figure == "efficiency" || figure == "busbw_retained" ? share : count;
}

std::size_t failed_points(const SweepResult& result) {
    // A failed point has exactly one row.
    return static_cast<std::size_t>(
        std::ranges::count_if(result.rows, [](const SweepRow& row) { return !row.error.empty(); }));
}

std::string sweep_table(const SweepResult& result) {
    std::vector<std::size_t> figures;  // indices of the columns shown
    Cells header;
    for (const std::string& path : result.varied) {
        header.push_back((header.empty() ? "#" : "") + short_name(path, result.varied));
    }
    for (const auto& [figure, heading] : first_figures) {
        const auto known = std::ranges::find(result.figures, figure) - result.figures.begin();
        const auto index = static_cast<std::size_t>(known);
        if (index == result.figures.size()) { continue; }
        if (figure == std::string_view("global_batch") && !varies(result, index)) { continue; }
        figures.push_back(index);
        header.emplace_back(heading);
    }
    std::vector<Cells> lines = {header};
    for (const SweepRow& row : result.rows) {
        Cells& line = lines.emplace_back(row.varied);
        for (const std::size_t figure : figures) {
            line.push_back(cell_text(result.figures[figure], row.figures[figure]));
        }
        if (!row.error.empty()) { line.back() = "failed: " + row.error; }
    }
    return aligned(lines);
}

std::optional<ResultKind> result_kind(const std::filesystem::path& out) {
    const std::string ending = lower_case(out.extension().string());
    if (ending == ".csv") { return ResultKind::csv; }
    if (ending == ".tsv") { return ResultKind::tsv; }
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
        write_atomically(out, result_kind(out) == ResultKind::tsv ? tsv_text(table) : csv_text(table));
    }
}

}  // namespace fabricast::inline sweep
