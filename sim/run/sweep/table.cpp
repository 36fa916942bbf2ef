#include "sim/run/sweep/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/unit_text.hpp"

namespace fabricast {

namespace {

// The columns of the table, with their headings; the others are only in the file.
constexpr std::array<std::pair<const char*, const char*>, 14> first_figures = {{{"gpus", "gpus"},
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

std::string cell_text(const std::string& figure, const Json& cell) {
    if (cell.is_string()) {
        return cell.get<std::string>();
    }
    if (!cell.is_number()) {
        return "-";
    }
    const auto value = cell.get<double>();
    const html::Unit unit = unit_of(figure);
    if (unit == html::Unit::size && cell.is_number_integer()) {
        return text(Bytes{cell.get<std::int64_t>()});
    }
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
        for (std::size_t i = 0; i < line.size(); ++i) {
            widths[i] = std::max(widths[i], line[i].size());
        }
    }
    std::string all;
    for (const Cells& line : lines) {
        for (std::size_t i = 0; i + 1 < line.size(); ++i) {
            all += fmt::format("{:>{}}  ", line[i], widths[i]);
        }
        all += line.back() + "\n";
    }
    return all;
}

// "nodes" for "cluster.nodes" if no other path ends in it.
std::string short_name(const std::string& path, const std::vector<std::string>& all) {
    const std::string leaf = path.substr(path.rfind('.') + 1);
    const auto same = std::ranges::count_if(
        all, [&](const std::string& other) { return other == leaf || other.ends_with("." + leaf); });
    return same == 1 ? leaf : path;
}

}  // namespace

std::string sweep_table(const SweepResult& result) {
    std::vector<std::size_t> figures;  // indices of the columns shown
    Cells header;
    for (const std::string& path : result.varied) {
        header.push_back((header.empty() ? "#" : "") + short_name(path, result.varied));
    }
    for (const auto& [figure, heading] : first_figures) {
        const auto known = std::ranges::find(result.figures, figure) - result.figures.begin();
        if (known < std::ssize(result.figures)) {
            figures.push_back(static_cast<std::size_t>(known));
            header.emplace_back(heading);
        }
    }
    std::vector<Cells> lines = {header};
    for (const SweepRow& row : result.rows) {
        Cells& line = lines.emplace_back(row.varied);
        for (const std::size_t figure : figures) {
            line.push_back(cell_text(result.figures[figure], row.figures[figure]));
        }
        if (!row.error.empty()) {
            line.back() = "failed: " + row.error;
        }
    }
    return aligned(lines);
}

}  // namespace fabricast
