#include "validate/import/series.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace fabricast::inline validate_import {
namespace {

using Labels = std::vector<std::string>;

std::size_t index_of(const Measurement& m, std::string_view column) {
    return static_cast<std::size_t>(std::ranges::find(m.columns, column) - m.columns.begin());
}

double figure_in(const std::string& cell) { return std::strtod(cell.c_str(), nullptr); }

// The rows of one curve by size; a size has one row per round.
using BySize = std::map<double, std::vector<std::size_t>>;

std::size_t median_row(const Measurement& m, std::vector<std::size_t> rows, std::size_t time) {
    std::ranges::stable_sort(rows, {}, [&](std::size_t row) { return figure_in(m.rows[row][time]); });
    return rows[(rows.size() - 1) / 2];
}

void say(Measurement& curve, const std::string& column, const std::string& label, const SourceLocation& place) {
    if (label.empty()) { return; }
    if (column != "env") {
        curve.benchmark[column] = {label, place};
        return;
    }
    Statement& env = curve.software["env"];
    env = {env.text.empty() ? label : env.text + " " + label, place};
}

Measurement curve_of(const Measurement& m, const Labels& labels, const BySize& sizes) {
    const std::size_t first = labels.size() + 1;  // the first column after `round`
    const std::size_t time = index_of(m, "time_us");
    Measurement curve = m;
    curve.rows.clear();
    curve.row_places.clear();
    curve.columns.assign(m.columns.begin() + static_cast<std::ptrdiff_t>(first), m.columns.end());
    for (const auto& [size, rows] : sizes) {
        const std::size_t row = median_row(m, rows, time);
        curve.rows.emplace_back(m.rows[row].begin() + static_cast<std::ptrdiff_t>(first), m.rows[row].end());
        curve.row_places.push_back(m.row_places[row]);
    }
    for (std::size_t i = 0; i < labels.size(); ++i) {
        say(curve, m.columns[i], labels[i], curve.row_places.front());
        curve.id += labels[i].empty() ? "" : " " + labels[i];
    }
    return curve;
}

}  // namespace

bool has_series(const Measurement& m) {
    const std::size_t round = index_of(m, "round");
    return round > 0 && round < m.columns.size() && index_of(m, "size_bytes") == round + 1 &&
           index_of(m, "time_us") < m.columns.size();
}

std::vector<Measurement> split_series(const Measurement& m) {
    if (!has_series(m)) { return {m}; }
    const std::size_t round = index_of(m, "round");
    std::vector<Labels> order;
    std::map<Labels, BySize> curves;
    for (std::size_t row = 0; row < m.rows.size(); ++row) {
        const Labels labels(m.rows[row].begin(), m.rows[row].begin() + static_cast<std::ptrdiff_t>(round));
        const auto [curve, is_new] = curves.try_emplace(labels);
        if (is_new) { order.push_back(labels); }
        curve->second[figure_in(m.rows[row][round + 1])].push_back(row);
    }
    std::vector<Measurement> parts;
    parts.reserve(order.size());
    for (const Labels& labels : order) { parts.push_back(curve_of(m, labels, curves.at(labels))); }
    return parts;
}

}  // namespace fabricast::inline validate_import
