#include "sim/run/sweep/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/unit_text.hpp"

namespace fabricast {

namespace {

struct Shown {
    const char* figure;
    const char* header;
};

// The columns of the table; the others are only in the file.
constexpr std::array first_figures = {
    Shown{"gpus", "gpus"},
    Shown{"size_bytes", "size"},
    Shown{"time_s", "time"},
    Shown{"busbw_Bps", "busbw"},
    Shown{"algorithm", "algorithm"},
    Shown{"protocol", "protocol"},
    Shown{"step_time_s", "step"},
    Shown{"tokens_per_s", "tokens/s"},
    Shown{"mfu", "MFU"},
    Shown{"efficiency", "efficiency"},
    Shown{"exposed_comm_s", "exposed"},
    Shown{"makespan_s", "makespan"},
    Shown{"bottleneck", "bottleneck"},
    Shown{"failed_asserts", "failed asserts"},
};

std::string cell_text(const std::string& figure, const Json& cell) {
    if (cell.is_string()) {
        return cell.get<std::string>();
    }
    if (!cell.is_number()) {
        return "-";
    }
    if (figure.ends_with("_bytes") && cell.is_number_integer()) {
        return text(Bytes{cell.get<std::int64_t>()});
    }
    if (figure.ends_with("_Bps")) {
        return text(cell.get<double>(), Dimension::rate);
    }
    const auto value = cell.get<double>();
    if (figure.ends_with("_s") && !figure.ends_with("_per_s")) {
        return text(value, Dimension::time);
    }
    return value >= 1e4 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

using Line = std::vector<std::string>;

// Pads each column to its widest cell, except the last.
std::string aligned(const std::vector<Line>& lines) {
    std::vector<std::size_t> widths(lines.front().size());
    for (const Line& line : lines) {
        for (std::size_t i = 0; i < line.size(); ++i) {
            widths[i] = std::max(widths[i], line[i].size());
        }
    }
    std::string all;
    for (const Line& line : lines) {
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
    const auto same = std::count_if(
        all.begin(), all.end(), [&](const std::string& other) { return other == leaf || other.ends_with("." + leaf); });
    return same == 1 ? leaf : path;
}

}  // namespace

std::string sweep_table(const SweepResult& result) {
    std::vector<std::pair<std::string, std::size_t>> figures;  // with their column indices
    Line header;
    for (const std::string& path : result.varied) {
        header.push_back((header.empty() ? "#" : "") + short_name(path, result.varied));
    }
    for (const Shown& column : first_figures) {
        const auto known = std::find(result.figures.begin(), result.figures.end(), column.figure);
        if (known != result.figures.end()) {
            figures.emplace_back(column.figure, known - result.figures.begin());
            header.emplace_back(column.header);
        }
    }
    std::vector<Line> lines = {header};
    for (const SweepRow& row : result.rows) {
        Line& line = lines.emplace_back(row.varied);
        for (const auto& [figure, place] : figures) {
            line.push_back(cell_text(figure, row.figures[place]));
        }
        if (!row.error.empty()) {
            line.back() = "failed: " + row.error;
        }
    }
    return aligned(lines);
}

}  // namespace fabricast
