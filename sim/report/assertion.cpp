#include "sim/report/assertion.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "models/catalog.hpp"
#include "sim/io/text.hpp"
#include "sim/io/units.hpp"

namespace fabricast {

namespace {

// Which rows of a report a metric is read from.
enum class Scope : std::uint8_t { size, cluster, whole };
enum class Measure : std::uint8_t { time, rate, number };

struct Metric {
    std::string_view name;
    Scope scope;
    Measure measure;
};

constexpr std::array metrics = {
    Metric{"time", Scope::size, Measure::time},
    Metric{"algbw", Scope::size, Measure::rate},
    Metric{"busbw", Scope::size, Measure::rate},
    Metric{"busbw_retained", Scope::cluster, Measure::number},
    Metric{"efficiency", Scope::cluster, Measure::number},
    Metric{"step_time", Scope::cluster, Measure::time},
    Metric{"exposed", Scope::cluster, Measure::time},
    Metric{"tokens_per_s", Scope::cluster, Measure::number},
    Metric{"samples_per_s", Scope::cluster, Measure::number},
    Metric{"mfu", Scope::cluster, Measure::number},
    Metric{"makespan", Scope::whole, Measure::time},
};

enum class Sign : std::uint8_t { above, at_least, below, at_most };

struct Assertion {
    const Metric* metric = nullptr;
    Sign sign{};
    double bound = 0;                          // seconds, bytes per second or a plain number
    std::optional<Bytes> size;                 // of a row
    std::optional<std::uint32_t> nodes, gpus;  // of a cluster; neither: every one
};

constexpr std::string_view accepted = "busbw >= 350 GB/s at 1 GiB, or efficiency >= 0.9 at 1024 gpus";

[[noreturn]] void refuse(std::string_view what, std::string_view statement) {
    throw UnitError(complaint(what, shown(statement), accepted));
}

const Metric& metric_named(std::string_view name) {
    const auto found = std::find_if(metrics.begin(), metrics.end(), [&](const Metric& m) { return m.name == name; });
    if (found == metrics.end()) {
        std::vector<std::string> words;
        words.reserve(metrics.size());
        for (const Metric& metric : metrics) {
            words.emplace_back(metric.name);
        }
        throw UnitError(complaint("unknown metric", shown(name), joined(words), nearest_word(name, words)));
    }
    return *found;
}

template <class Number>
Number plain_number(std::string_view text) {
    Number value{};
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool finite =
        std::isfinite(static_cast<double>(value));  // "nan" and "inf" read as numbers, but bound nothing
    if (error != std::errc{} || stop != text.data() + text.size() || !finite) {
        throw UnitError(complaint("not a plain number", shown(text), "a number without unit"));
    }
    return value;
}

double bound_of(const Metric& metric, std::string_view text) {
    switch (metric.measure) {
        case Measure::time:
            return to_seconds(parse_duration(text));
        case Measure::rate:
            return parse_rate(text).bytes_per_second();
        case Measure::number:
            break;
    }
    return text.ends_with('%') ? parse_quantity(text, Dimension::ratio) : plain_number<double>(text);
}

// "1 GiB", "1024 gpus", "16 nodes"; a plain number is one of nodes.
void read_place(Assertion& assertion, std::string_view place, std::string_view statement) {
    if (assertion.metric->scope == Scope::size) {
        assertion.size = parse_bytes(place);
    } else if (assertion.metric->scope == Scope::whole) {
        refuse("'" + std::string(assertion.metric->name) + "' is of the whole run", statement);
    } else if (place.ends_with("gpus")) {
        assertion.gpus = plain_number<std::uint32_t>(trimmed(place.substr(0, place.size() - 4), " "));
    } else {
        const std::size_t digits = place.ends_with("nodes") ? place.size() - 5 : place.size();
        assertion.nodes = plain_number<std::uint32_t>(trimmed(place.substr(0, digits), " "));
    }
}

// METRIC, METRIC(PLACE): the left side of the sign.
void read_metric(Assertion& assertion, std::string_view left, std::string_view statement) {
    const std::size_t open = left.find('(');
    assertion.metric = &metric_named(trimmed(left.substr(0, open), " "));
    if (open != std::string_view::npos) {
        if (!left.ends_with(')')) {
            refuse("not a statement about the result", statement);
        }
        read_place(assertion, trimmed(left.substr(open + 1, left.size() - open - 2), " "), statement);
    }
}

// METRIC SIGN BOUND at PLACE, or METRIC(PLACE) SIGN BOUND. Throws UnitError.
Assertion parse_assertion(std::string_view statement) {
    const std::size_t at = statement.find_first_of("<>");
    if (at == std::string_view::npos) {
        refuse("not a statement about the result", statement);
    }
    Assertion assertion;
    read_metric(assertion, trimmed(statement.substr(0, at), " "), statement);
    const bool equal = statement.substr(at + 1).starts_with('=');
    const bool up = statement[at] == '>';
    assertion.sign = up ? (equal ? Sign::at_least : Sign::above) : (equal ? Sign::at_most : Sign::below);
    std::string_view right = statement.substr(at + (equal ? 2 : 1));
    if (const std::size_t place = right.find(" at "); place != std::string_view::npos) {
        if (assertion.size || assertion.nodes || assertion.gpus) {
            refuse("says twice where", statement);
        }
        read_place(assertion, trimmed(right.substr(place + 4), " "), statement);
        right = right.substr(0, place);
    }
    assertion.bound = bound_of(*assertion.metric, trimmed(right, " "));
    if (assertion.metric->scope == Scope::size && !assertion.size) {
        refuse("'" + std::string(assertion.metric->name) + "' is of a size", statement);
    }
    return assertion;
}

// One figure of the report that a statement is about, and where it stands.
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

// Efficiency against itself is no figure: with one cluster there is nothing to compare.
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

// Where several clusters were meant, the one that failed.
std::string place_text(const Assertion& assertion, const Found& found) {
    const bool told = assertion.nodes || assertion.gpus || assertion.metric->scope != Scope::cluster;
    return told ? "" : " at " + std::to_string(found.gpus) + " gpus";
}

}  // namespace

void check_assertion(const yaml::Node& node) {
    try {
        parse_assertion(node.as_string());
    } catch (const UnitError& error) {
        node.fail("'" + node.name + "': " + error.what());
    }
}

std::vector<std::string> failed_asserts(const Scenario& scenario, const Report& report) {
    std::vector<std::string> failed;
    for (const std::string& statement : scenario.asserts) {
        const Assertion assertion = parse_assertion(statement);
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

}  // namespace fabricast
