#include "validate/curves/compare_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/report/html/run_page.hpp"

namespace fabricast::inline curves {

namespace {

using namespace html;

double bytes_of(const ComparedSize& s) { return static_cast<double>(s.measured.size.count); }

// `value` is what the chart shows of a time in seconds and a size in bytes.
template <class Value> Curves curves_of(const Comparison& c, std::string title, Axis y, const Value& value) {
    Line forecast{"forecast", {}};
    Line measured{"measured", {}, true};
    Line left_out{"measured, not counted", {}, true};
    for (const ComparedSize& s : c.sizes) {
        const double bytes = bytes_of(s);
        Point point{bytes, value(s.ours.seconds, bytes)};
        if (s.ours.high80 > s.ours.low80) {
            point.low = std::min(value(s.ours.low80, bytes), value(s.ours.high80, bytes));
            point.high = std::max(value(s.ours.low80, bytes), value(s.ours.high80, bytes));
        }
        forecast.points.push_back(point);
        (s.counts() ? measured : left_out).points.push_back({bytes, value(s.measured.seconds, bytes)});
    }
    Curves curves{std::move(title),
                  "Dots were measured; the line is the forecast and its band holds four results in five.",
                  {"message size", Unit::size, true},
                  std::move(y),
                  {std::move(forecast), std::move(measured)}};
    if (!left_out.points.empty()) { curves.lines.push_back(std::move(left_out)); }
    return curves;
}

Table table_of(const Comparison& c) {
    Table table{"Size by size",
                "",
                {{"size", Unit::size},
                 {"measured", Unit::time},
                 {"forecast", Unit::time},
                 {"low", Unit::time},
                 {"high", Unit::time},
                 {"error", Unit::share},
                 {"algorithm"},
                 {"protocol"},
                 {"channels", Unit::count},
                 {"evidence"},
                 {"not counted because"}},
                {}};
    for (const ComparedSize& s : c.sizes) {
        table.rows.push_back({bytes_of(s), s.measured.seconds, s.ours.seconds, s.ours.low80, s.ours.high80, s.error(),
                              s.ours.algorithm, s.ours.protocol, static_cast<double>(s.ours.channels),
                              std::string(to_string(s.ours.evidence)), s.measured.left_out});
    }
    return table;
}

Curves error_curves(const Comparison& c) {
    Curves curves{"Error, and what simpler models would have said",
                  "Absolute error of the time.",
                  {"message size", Unit::size, true},
                  {"error", Unit::share},
                  {}};
    const auto add = [&](const char* name, const auto& seconds) {
        Line line{name, {}};
        for (const ComparedSize& s : c.sizes) {
            if (seconds(s) > 0) { line.points.push_back({bytes_of(s), std::abs(seconds(s) / s.measured.seconds - 1)}); }
        }
        if (!line.points.empty()) { curves.lines.push_back(std::move(line)); }
    };
    add("this forecast", [](const ComparedSize& s) { return s.ours.seconds; });
    add("latency + size / bandwidth", [](const ComparedSize& s) { return s.null_alphabeta; });
    add("NCCL's own tuning model", [](const ComparedSize& s) { return s.null_tuning; });
    return curves;
}

}  // namespace

Page compare_page(const Comparison& c) {
    const Scenario& scenario = c.derived.scenario;
    const ErrorSummary errors = errors_of(c);
    const auto inside = std::ranges::count_if(c.sizes, [](const ComparedSize& s) {
        return s.counts() && s.ours.low80 <= s.measured.seconds && s.measured.seconds <= s.ours.high80;
    });
    Page page;
    page.title = c.id;
    page.answer = fmt::format(
        "{} on {} x {} ({} ranks): half of the {} measured sizes are forecast within {:.1f} %, the worst within {:.0f} "
        "%; {} of {} lie in the forecast's 80 % interval.",
        to_string(collective_of(scenario).collective), scenario.cluster.nodes, scenario.cluster.node, c.derived.ranks,
        errors.rows, 100 * errors.median, 100 * errors.largest, inside, errors.rows);
    page.headlines = {{"median error", fmt::format("{:.1f} %", 100 * errors.median), "of the time"},
                      {"in the 80 % interval", fmt::format("{} of {}", inside, errors.rows), "sizes"},
                      {"measured by", c.source, ""}};
    page.sections.emplace_back(curves_of(c, "Time", {"time", Unit::time, true}, [](double s, double) { return s; }));
    page.sections.emplace_back(curves_of(c, "Bus bandwidth", {"busbw", Unit::rate},
                                         [&](double s, double bytes) { return bytes / s * c.busbw_factor; }));
    page.sections.emplace_back(error_curves(c));
    page.sections.emplace_back(table_of(c));
    page.notes = c.derived.assumptions;
    add_provenance(page, scenario);
    return page;
}

}  // namespace fabricast::inline curves
