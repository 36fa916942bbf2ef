#include "sim/run/sweep/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "base/unit_text.hpp"
#include "sim/report/html/run_page.hpp"

namespace fabricast::inline sweep {

namespace {

using namespace html;

constexpr std::size_t most_lines = 12;

struct Metric {
    const char* figure;
    const char* title;
    const char* words;  // for use in a sentence
    bool more_is_better;
};
// In order of importance: the page's answer is about the first one that the sweep has.
constexpr std::array<Metric, 6> metrics = {{{"step_time_s", "Step time", "step time", false},
                                            {"busbw_Bps", "Bus bandwidth", "bus bandwidth", true},
                                            {"makespan_s", "Makespan", "makespan", false},
                                            {"time_s", "Time", "time", false},
                                            {"mfu", "Model FLOP/s used (MFU)", "MFU", true},
                                            {"efficiency", "Efficiency", "efficiency", true}}};

std::optional<std::size_t> place_of(const SweepResult& result, const std::string& figure) {
    const auto place = static_cast<std::size_t>(std::ranges::find(result.figures, figure) - result.figures.begin());
    return place == result.figures.size() ? std::nullopt : std::optional(place);
}

std::optional<double> number_at(const SweepRow& row, std::optional<std::size_t> place) {
    const bool known = place && row.error.empty() && row.figures[*place].is_number();
    return known ? std::optional(row.figures[*place].get<double>()) : std::nullopt;
}

// The rows of the points themselves: not those of a scaling table, which have no size beside rows that have one. Their
// clusters are not the points'.
std::vector<const SweepRow*> rows_of_points(const SweepResult& result) {
    const auto size = place_of(result, "size_bytes");
    const bool sized =
        std::ranges::any_of(result.rows, [&](const SweepRow& row) { return number_at(row, size).has_value(); });
    std::vector<const SweepRow*> rows;
    for (const SweepRow& row : result.rows) {
        if (!sized || number_at(row, size)) { rows.push_back(&row); }
    }
    return rows;
}

// The rows of the largest message size, if there are several sizes; else all rows.
std::vector<const SweepRow*> largest(const SweepResult& result) {
    const auto size = place_of(result, "size_bytes");
    std::vector<const SweepRow*> rows = rows_of_points(result);
    double most = 0;
    for (const SweepRow* row : rows) { most = std::max(most, number_at(*row, size).value_or(0)); }
    std::erase_if(rows, [&](const SweepRow* row) { return number_at(*row, size).value_or(most) != most; });
    return rows;
}

// The x axis of the curves: the message size if it varies, else the varied key with the most values among those whose
// values are all numbers.
struct Across {
    std::optional<std::size_t> varied;  // index into SweepResult::varied
    std::optional<std::size_t> figure;
    Axis axis;
};

std::optional<Across> across(const SweepResult& result) {
    if (largest(result).size() < rows_of_points(result).size()) {
        return Across{std::nullopt, place_of(result, "size_bytes"), {"message size", Unit::size, true}};
    }
    std::optional<Across> best;
    std::size_t most = 1;
    for (std::size_t v = 0; v < result.varied.size(); ++v) {
        std::set<double> values;
        bool all = true;
        for (const SweepRow& row : result.rows) {
            const std::optional<double> value = number_in<double>(row.varied[v]);
            all &= value.has_value();
            values.insert(value.value_or(0));
        }
        if (all && values.size() > most) {
            most = values.size();
            const bool log = *values.begin() > 0 && *values.rbegin() / *values.begin() >= 8;
            best = Across{v, std::nullopt, {result.varied[v], Unit::count, log}};
        }
    }
    return best;
}

std::string combination(const SweepResult& result, const SweepRow& row, std::optional<std::size_t> without) {
    std::string words;
    for (std::size_t v = 0; v < result.varied.size(); ++v) {
        if (v != without) {
            words += (words.empty() ? "" : ", ") + short_name(result.varied[v], result.varied) + " " + row.varied[v];
        }
    }
    return words.empty() ? result.scenario : words;
}

std::optional<Curves> curves_of(const SweepResult& result, const Metric& metric, const Across& x) {
    const auto y = place_of(result, metric.figure);
    std::vector<Line> lines;
    std::map<std::string, std::size_t> known;
    for (const SweepRow* each : rows_of_points(result)) {
        const SweepRow& row = *each;
        const std::optional<double> value = number_at(row, y);
        const std::optional<double> at = x.varied ? number_in<double>(row.varied[*x.varied]) : number_at(row, x.figure);
        if (value && at) {
            const auto [place, fresh] = known.emplace(combination(result, row, x.varied), lines.size());
            if (fresh) { lines.push_back({place->first, {}}); }
            lines[place->second].points.push_back({*at, *value});
        }
    }
    if (lines.empty()) { return std::nullopt; }
    std::string caption = "A line for each combination of the other keys.";
    if (lines.size() > most_lines) {
        caption += fmt::format(" The first {} of {}.", most_lines, lines.size());
        lines.resize(most_lines);
    }
    for (Line& line : lines) { std::ranges::stable_sort(line.points, {}, &Point::x); }
    return Curves{metric.title,
                  caption,
                  x.axis,
                  {metric.words, unit_of(metric.figure), std::string_view(metric.figure) == "time_s"},
                  std::move(lines)};
}

// A figure's name without its unit, which its cells have; the ends of an interval stand beside what they are of.
std::string heading_of(const std::string& figure) {
    if (figure.ends_with("_low80_s")) { return "low"; }
    if (figure.ends_with("_high80_s")) { return "high"; }
    const std::size_t unit = figure.rfind('_');
    const bool has_unit = unit_of(figure) != Unit::none && unit != std::string::npos;
    return figure.substr(0, has_unit ? unit : figure.size());
}

// Columns without a value in any row are left out.
Table without_empty_columns(Table table) {
    for (std::size_t c = table.columns.size(); c-- > 0;) {
        const auto empty = [&](const std::vector<Cell>& row) { return row[c].is_null() || row[c] == ""; };
        if (!std::ranges::all_of(table.rows, empty)) { continue; }
        table.columns.erase(table.columns.begin() + static_cast<std::ptrdiff_t>(c));
        for (std::vector<Cell>& row : table.rows) { row.erase(row.begin() + static_cast<std::ptrdiff_t>(c)); }
    }
    return table;
}

Table table_of(const SweepResult& result) {
    Table table{"Every point", "", {{"point", Unit::count}}, {}};
    for (const std::string& path : result.varied) { table.columns.push_back({short_name(path, result.varied)}); }
    for (const std::string& figure : result.figures) { table.columns.push_back({heading_of(figure), unit_of(figure)}); }
    table.columns.push_back({"failed because"});
    const Records records = records_of(result);
    for (std::size_t i = 0; i < records.rows.size(); ++i) {
        std::vector<Cell>& cells = table.rows.emplace_back();
        std::ranges::transform(records.rows[i], std::back_inserter(cells), page_cell);
        cells.back() = result.rows[i].error;
    }
    table.folded = table.rows.size() > 100;
    return without_empty_columns(std::move(table));
}

std::string value_text(double value, Unit unit) {
    return unit == Unit::share ? percent(value) : text(value, unit == Unit::rate ? Dimension::rate : Dimension::time);
}

// States the best and the worst point by the first metric that the sweep has.
void say_range(Page& page, const SweepResult& result) {
    for (const Metric& metric : metrics) {
        const auto place = place_of(result, metric.figure);
        std::vector<const SweepRow*> rows = largest(result);
        std::erase_if(rows, [&](const SweepRow* row) { return !number_at(*row, place); });
        if (rows.empty()) { continue; }
        const auto value = [&](const SweepRow* row) { return *number_at(*row, place); };
        const SweepRow* least = *std::ranges::min_element(rows, {}, value);
        const SweepRow* most = *std::ranges::max_element(rows, {}, value);
        const auto headline = [&](const char* label, const SweepRow& row) {
            return Headline{label, value_text(*number_at(row, place), unit_of(metric.figure)),
                            combination(result, row, std::nullopt)};
        };
        page.headlines = {headline("best", metric.more_is_better ? *most : *least),
                          headline("worst", metric.more_is_better ? *least : *most)};
        const Headline& best = page.headlines[0];
        const Headline& worst = page.headlines[1];
        page.answer += fmt::format(": the best {} is {} with {}, the worst {} with {}.", metric.words, best.value,
                                   best.note, worst.value, worst.note);
        return;
    }
    page.answer += ".";
}

}  // namespace

Page sweep_page(const SweepResult& result, const Scenario& first) {
    Page page;
    page.title = result.scenario;
    std::set<std::size_t> points;
    for (const SweepRow& row : result.rows) { points.insert(row.point); }
    page.answer = fmt::format("{} of {}", plural(points.size(), "point"), result.scenario);
    say_range(page, result);
    if (const std::size_t failed = failed_points(result); failed > 0) {
        page.headlines.push_back({"failed", std::to_string(failed), "points; the table says why"});
    }
    if (const std::optional<Across> x = across(result)) {
        for (const Metric& metric : metrics) {
            if (std::optional<Curves> curves = curves_of(result, metric, *x)) {
                page.sections.emplace_back(std::move(*curves));
            }
        }
    }
    page.sections.emplace_back(table_of(result));
    add_provenance(page, first);
    page.notes = first.notes;
    page.notes.emplace_back("the scenario shown is that of the first point; what varies stands in the table");
    return page;
}

}  // namespace fabricast::inline sweep
