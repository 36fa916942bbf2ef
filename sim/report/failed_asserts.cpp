#include "sim/report/failed_asserts.hpp"

#include <cmath>
#include <cstdint>
#include <optional>

#include "base/unit_text.hpp"
#include "sim/scenario/assertion.hpp"

namespace fabricast {

namespace {

using asserted::Assertion;
using asserted::Measure;
using asserted::Metric;
using asserted::Scope;
using asserted::Sign;

// A value of the report that an assert is about, and the cluster it belongs to.
struct Found {
    double value = 0;
    std::uint32_t nodes = 0, gpus = 0;
};

double of_row(const Row& row, std::string_view metric) {
    return metric == "time" ? row.time_s : metric == "algbw" ? row.algbw : row.busbw;
}

std::optional<double> of_point(const ScalingPoint& point, std::string_view metric) {
    if (metric == "busbw_retained") {
        return point.busbw_retained;
    }
    return metric == "efficiency"  ? point.efficiency
           : metric == "step_time" ? point.step_time_s
           : metric == "exposed"   ? point.exposed_comm_s
                                   : std::nullopt;
}

// With only one cluster there is no efficiency: nothing to compare with.
std::optional<double> of_step(const StepRow& step, std::string_view metric, bool alone) {
    if (metric == "efficiency") {
        return alone ? std::nullopt : std::optional(step.efficiency);
    }
    if (metric == "tokens_per_s" || metric == "samples_per_s") {
        return metric == "tokens_per_s" ? step.tokens_per_s : step.samples_per_s;
    }
    return metric == "step_time" ? std::optional(step.step_time_s)
           : metric == "exposed" ? std::optional(step.exposed_s())
           : metric == "mfu"     ? std::optional(step.mfu)
                                 : std::nullopt;
}

std::vector<Found> figures_of(const Assertion& assertion, const Report& report) {
    std::vector<Found> found;
    const auto add = [&](std::optional<double> value, std::uint32_t nodes, std::uint32_t gpus) {
        if (value && assertion.nodes.value_or(nodes) == nodes && assertion.gpus.value_or(gpus) == gpus) {
            found.push_back({*value, nodes, gpus});
        }
    };
    const std::string_view metric = assertion.metric->name;
    if (assertion.metric->scope == Scope::size) {
        for (const Row& row : report.rows) {
            if (row.size == *assertion.size) {
                found.push_back({of_row(row, metric)});
            }
        }
    } else if (assertion.metric->scope == Scope::whole) {
        if (report.replay) {
            found.push_back({report.replay->makespan_s});
        }
    } else {
        for (const ScalingPoint& point : report.points) {
            add(of_point(point, metric), point.nodes, point.gpus);
        }
        for (const StepRow& step : report.steps) {
            add(of_step(step, metric, report.steps.size() == 1), step.nodes, step.gpus);
        }
    }
    return found;
}

bool holds(const Assertion& assertion, double value) {
    switch (assertion.sign) {
        case Sign::above:
            return value > assertion.bound;
        case Sign::at_least:
            return value >= assertion.bound;
        case Sign::below:
            return value < assertion.bound;
        case Sign::at_most:
            return value <= assertion.bound;
    }
    return false;
}

std::string value_text(const Metric& metric, double value) {
    if (metric.measure != Measure::number) {
        return text(value, metric.measure == Measure::time ? Dimension::time : Dimension::rate);
    }
    return metric.name.ends_with("_per_s") ? std::to_string(std::llround(value)) : text(value, Dimension::ratio);
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
        if (figures.empty()) {
            failed.push_back(statement + ": no such row in the result");
        }
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
    if (!lines.empty()) {
        throw AssertFailed(place, lines);
    }
}

}  // namespace fabricast
