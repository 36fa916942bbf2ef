#include "sim/report/failed_asserts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "base/unit_text.hpp"
#include "sim/report/result_columns.hpp"
#include "sim/scenario/assertion.hpp"

namespace fabricast::inline report {

namespace {

using asserted::Assertion;
using asserted::Measure;
using asserted::Metric;
using asserted::Scope;

// A value of the report that an assert is about, and the cluster it belongs to.
struct Found {
    double value = 0;
    std::uint32_t nodes = 0, gpus = 0;
};

// The figure of a row in the column of the metric; nothing if such rows have no such column, or it is not known.
template <class Record>
std::optional<double> figure_of(const Record& row, const Columns<Record>& columns, const Metric& metric) {
    const auto column = std::ranges::find(columns, metric.column, &Column<Record>::name);
    const Json value = column == columns.end() ? Json() : column->value(row);
    return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}

std::vector<Found> figures_of(const Assertion& assertion, const Report& report) {
    std::vector<Found> found;
    const auto add = [&](std::optional<double> value, std::uint32_t nodes, std::uint32_t gpus) {
        if (value && assertion.nodes.value_or(nodes) == nodes && assertion.gpus.value_or(gpus) == gpus) {
            found.push_back({*value, nodes, gpus});
        }
    };
    const Metric& metric = *assertion.metric;
    if (metric.scope == Scope::size) {
        for (const Row& row : report.rows) {
            if (row.size == *assertion.size) { found.push_back({figure_of(row, row_columns(), metric).value()}); }
        }
    } else if (metric.scope == Scope::whole) {
        if (report.replay) { found.push_back({report.replay->makespan_s}); }
    } else {
        for (const ScalingPoint& point : report.points) {
            add(figure_of(point, point_columns(), metric), point.nodes, point.gpus);
        }
        // With only one cluster there is no efficiency: nothing to compare with.
        const bool comparable = report.steps.size() > 1 || metric.name != "efficiency";
        for (const StepRow& step : report.steps) {
            add(comparable ? figure_of(step, step_columns(), metric) : std::nullopt, step.nodes, step.gpus);
        }
    }
    return found;
}

bool holds(const Assertion& assertion, double value) {
    return (assertion.above ? value > assertion.bound : value < assertion.bound) ||
           (assertion.equal && value == assertion.bound);
}

std::string value_text(const Metric& metric, double value) {
    switch (metric.measure) {
        case Measure::time: return text(value, Dimension::time);
        case Measure::rate: return text(value, Dimension::rate);
        case Measure::share: return text(value, Dimension::ratio);
        case Measure::number: break;
    }
    return std::to_string(std::llround(value));
}

// Names the cluster that failed if the assert was about all clusters.
std::string place_text(const Assertion& assertion, const Found& found) {
    const bool told = assertion.nodes || assertion.gpus || assertion.metric->scope != Scope::cluster;
    return told ? "" : " at " + std::to_string(found.gpus) + " gpus";
}

}  // namespace

std::vector<std::string> failed_asserts(const Scenario& scenario, const Report& report) {
    std::vector<std::string> failed;
    for (const std::string& statement : scenario.asserts) {
        const Assertion assertion = asserted::parse(statement);
        const std::vector<Found> figures = figures_of(assertion, report);
        if (figures.empty()) { failed.push_back(statement + ": no such row in the result"); }
        for (const Found& found : figures) {
            if (!holds(assertion, found.value)) {
                failed.push_back(statement + ": found " + value_text(*assertion.metric, found.value) +
                                 place_text(assertion, found));
            }
        }
    }
    return failed;
}

void check_asserts(const Scenario& scenario, const Report& report) {
    const SourceLocation place = place_of(scenario, "assert");
    std::string lines;
    for (const std::string& statement : failed_asserts(scenario, report)) {
        lines += (lines.empty() ? "" : "\n" + to_string(place) + ": ") + "assert failed: " + statement;
    }
    if (!lines.empty()) { throw AssertFailed(place, lines); }
}

}  // namespace fabricast::inline report
