#include "sim/run/sweep/page.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/unit_text.hpp"
#include "sim/report/html/run_page.hpp"

namespace fabricast {

namespace {

using namespace html;

constexpr std::size_t most_lines = 12;

struct Metric {
    const char* figure;
    const char* title;
    const char* words;  // for use in a sentence
    Unit unit;
    bool more_is_better;
};
// In order of importance: the page's answer is about the first one that the sweep has.
constexpr std::array<Metric, 6> metrics = {{{"step_time_s", "Step time", "step time", Unit::time, false},
                                            {"busbw_Bps", "Bus bandwidth", "bus bandwidth", Unit::rate, true},
                                            {"makespan_s", "Makespan", "makespan", Unit::time, false},
                                            {"time_s", "Time", "time", Unit::time, false},
                                            {"mfu", "Model FLOP/s used (MFU)", "MFU", Unit::share, true},
                                            {"efficiency", "Efficiency", "efficiency", Unit::share, true}}};

Unit unit_of(const std::string& figure) {
    if (figure.ends_with("_Bps")) {
        return Unit::rate;
    }
    if (figure.ends_with("_bytes")) {
        return Unit::size;
    }
    if (figure.ends_with("_s") && !figure.ends_with("_per_s")) {
        return Unit::time;
    }
    const bool share = figure == "mfu" || figure == "efficiency" || figure == "busbw_retained";
    return share ? Unit::share : Unit::count;
}

std::optional<std::size_t> place_of(const SweepResult& result, const std::string& figure) {
    const auto found = std::find(result.figures.begin(), result.figures.end(), figure);
    return found == result.figures.end() ? std::nullopt
                                         : std::optional(static_cast<std::size_t>(found - result.figures.begin()));
}

std::optional<double> number_at(const SweepRow& row, std::optional<std::size_t> place) {
    const bool known = place && row.error.empty() && row.figures[*place].is_number();
    return known ? std::optional(row.figures[*place].get<double>()) : std::nullopt;
}

std::optional<double> number_in(const std::string& text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// The x axis of the curves: the message size if it varies, else the varied key with the most values among those whose
// values are all numbers.
struct Across {
    std::optional<std::size_t> varied;  // index into SweepResult::varied
    std::optional<std::size_t> figure;
    Axis axis;
};

std::optional<Across> across(const SweepResult& result) {
    if (const auto size = place_of(result, "size_bytes")) {
        std::set<double> sizes;
        for (const SweepRow& row : result.rows) {
            if (const auto value = number_at(row, size)) {
                sizes.insert(*value);
            }
        }
        if (sizes.size() > 1) {
            return Across{std::nullopt, size, {"message size", Unit::size, true}};
        }
    }
    std::optional<Across> best;
    std::size_t most = 1;
    for (std::size_t v = 0; v < result.varied.size(); ++v) {
        std::set<double> values;
        bool all = true;
        for (const SweepRow& row : result.rows) {
            const std::optional<double> value = number_in(row.varied[v]);
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
            words += (words.empty() ? "" : ", ") + result.varied[v].substr(result.varied[v].rfind('.') + 1) + " " +
                     row.varied[v];
        }
    }
    return words.empty() ? result.scenario : words;
}

std::optional<Curves> curves_of(const SweepResult& result, const Metric& metric, const Across& x) {
    const auto y = place_of(result, metric.figure);
    std::vector<Line> lines;
    std::map<std::string, std::size_t> known;
    for (const SweepRow& row : result.rows) {
        const std::optional<double> value = number_at(row, y);
        const std::optional<double> at = x.varied ? number_in(row.varied[*x.varied]) : number_at(row, x.figure);
        if (value && at) {
            const auto [place, fresh] = known.emplace(combination(result, row, x.varied), lines.size());
            if (fresh) {
                lines.push_back({place->first, {}});
            }
            lines[place->second].points.push_back({*at, *value});
        }
    }
    if (lines.empty()) {
        return std::nullopt;
    }
    std::string caption = "A line for each combination of the other keys.";
    if (lines.size() > most_lines) {
        caption += " The first " + std::to_string(most_lines) + " of " + std::to_string(lines.size()) + ".";
        lines.resize(most_lines);
    }
    for (Line& line : lines) {
        std::stable_sort(line.points.begin(), line.points.end(),
                         [](const Point& a, const Point& b) { return a.x < b.x; });
    }
    return Curves{metric.title,
                  caption,
                  x.axis,
                  {metric.words, metric.unit, std::string(metric.figure) == "time_s"},
                  std::move(lines)};
}

Table table_of(const SweepResult& result) {
    Table table{"Every point", "", {{"point", Unit::count}}, {}};
    for (const std::string& path : result.varied) {
        table.columns.push_back({path});
    }
    for (const std::string& figure : result.figures) {
        table.columns.push_back({figure, unit_of(figure)});
    }
    table.columns.push_back({"failed because"});
    for (const SweepRow& row : result.rows) {
        std::vector<Cell> cells = {static_cast<double>(row.point)};
        cells.insert(cells.end(), row.varied.begin(), row.varied.end());
        for (std::size_t f = 0; f < result.figures.size(); ++f) {
            const Json* figure = f < row.figures.size() ? &row.figures[f] : nullptr;
            if (figure != nullptr && figure->is_number()) {
                cells.emplace_back(figure->get<double>());
            } else {
                // In place: GCC 12 takes a moved empty variant for one that may be read.
                cells.emplace_back();
                if (figure != nullptr && figure->is_string()) {
                    cells.back() = figure->get<std::string>();
                }
            }
        }
        cells.emplace_back(row.error);
        table.rows.push_back(std::move(cells));
    }
    table.folded = table.rows.size() > 100;
    return table;
}

std::string value_text(double value, Unit unit) {
    if (unit == Unit::share) {
        return std::to_string(std::lround(100 * value)) + " %";
    }
    return text(value, unit == Unit::rate ? Dimension::rate : Dimension::time);
}

// The rows of the largest message size, if there are several sizes; else all rows.
std::vector<const SweepRow*> largest(const SweepResult& result) {
    const auto size = place_of(result, "size_bytes");
    double most = 0;
    for (const SweepRow& row : result.rows) {
        most = std::max(most, number_at(row, size).value_or(0));
    }
    std::vector<const SweepRow*> rows;
    for (const SweepRow& row : result.rows) {
        if (number_at(row, size).value_or(most) == most) {
            rows.push_back(&row);
        }
    }
    return rows;
}

// States the best and the worst point by the first metric that the sweep has.
void say_range(Page& page, const SweepResult& result) {
    for (const Metric& metric : metrics) {
        const auto place = place_of(result, metric.figure);
        const SweepRow* least = nullptr;
        const SweepRow* most = nullptr;
        for (const SweepRow* row : largest(result)) {
            if (const auto value = number_at(*row, place)) {
                least = least == nullptr || *value < *number_at(*least, place) ? row : least;
                most = most == nullptr || *value > *number_at(*most, place) ? row : most;
            }
        }
        if (least == nullptr) {
            continue;
        }
        const SweepRow& best = metric.more_is_better ? *most : *least;
        const SweepRow& worst = metric.more_is_better ? *least : *most;
        const std::string best_text = value_text(*number_at(best, place), metric.unit);
        const std::string worst_text = value_text(*number_at(worst, place), metric.unit);
        page.answer += ": the best " + std::string(metric.words) + " is " + best_text + " with " +
                       combination(result, best, std::nullopt) + ", the worst " + worst_text + " with " +
                       combination(result, worst, std::nullopt) + ".";
        page.headlines = {{"best", best_text, combination(result, best, std::nullopt)},
                          {"worst", worst_text, combination(result, worst, std::nullopt)}};
        return;
    }
    page.answer += ".";
}

}  // namespace

Page sweep_page(const SweepResult& result, const Scenario& first) {
    Page page;
    page.title = result.scenario;
    std::set<std::size_t> points;
    for (const SweepRow& row : result.rows) {
        points.insert(row.point);
    }
    page.answer = std::to_string(points.size()) + (points.size() == 1 ? " point of " : " points of ") + result.scenario;
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
    page.notes.emplace_back("the scenario shown is that of the first point; what varies stands in the table");
    return page;
}

}  // namespace fabricast
