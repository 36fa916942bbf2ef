#include "sim/report/assertion.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "models/catalog.hpp"
#include "sim/io/text.hpp"
#include "sim/io/units.hpp"

namespace fabricast {

namespace {

enum class Metric : std::uint8_t { time, algbw, busbw, busbw_retained, efficiency };

const std::vector<std::string> metric_words = {"time", "algbw", "busbw", "busbw_retained", "efficiency"};

struct Assertion {
    Metric metric{};
    Bytes size;               // of a row: time, algbw, busbw
    std::uint32_t nodes = 0;  // of a scaling point: busbw_retained, efficiency
    std::string comparison;   // >, >=, <, <=
    double bound = 0;         // seconds, bytes per second, or a share
};

constexpr std::string_view accepted = "METRIC(SIZE or NODES) >|>=|<|<= FIGURE, as busbw(1 GiB) > 300 GB/s";

bool is_of_row(Metric metric) { return metric <= Metric::busbw; }

template <class Number>
Number plain_number(std::string_view text) {
    Number value{};
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || stop != text.data() + text.size()) {
        throw UnitError(complaint("not a plain number", shown(text), "a number without unit"));
    }
    return value;
}

double bound_of(Metric metric, std::string_view text) {
    if (metric == Metric::time) {
        return to_seconds(parse_duration(text));
    }
    return is_of_row(metric) ? parse_rate(text).bytes_per_second() : plain_number<double>(text);
}

// Throws UnitError.
Assertion parse_assertion(std::string_view text) {
    const std::size_t open = text.find('(');
    const std::size_t close = text.find(')', open);
    const std::string name(trimmed(text.substr(0, open), " "));
    const auto metric = std::find(metric_words.begin(), metric_words.end(), name);
    if (metric == metric_words.end()) {
        throw UnitError(
            complaint("unknown metric", shown(name), joined(metric_words), nearest_word(name, metric_words)));
    }
    if (open == std::string_view::npos || close == std::string_view::npos) {
        throw UnitError(complaint("not a statement about the result", shown(text), accepted));
    }
    Assertion assertion;
    assertion.metric = static_cast<Metric>(metric - metric_words.begin());
    const std::string_view argument = trimmed(text.substr(open + 1, close - open - 1), " ");
    if (is_of_row(assertion.metric)) {
        assertion.size = parse_bytes(argument);
    } else {
        assertion.nodes = plain_number<std::uint32_t>(argument);
    }
    const std::string_view rest = trimmed(text.substr(close + 1), " ");
    const std::size_t sign = rest.starts_with(">=") || rest.starts_with("<=") ? 2 : 1;
    assertion.comparison = rest.substr(0, sign);
    if (!rest.starts_with('>') && !rest.starts_with('<')) {
        throw UnitError(complaint("not a statement about the result", shown(text), accepted));
    }
    assertion.bound = bound_of(assertion.metric, trimmed(rest.substr(sign), " "));
    return assertion;
}

std::optional<double> value_in_rows(const Assertion& assertion, const std::vector<Row>& rows) {
    for (const Row& row : rows) {
        if (row.size == assertion.size) {
            return assertion.metric == Metric::time    ? row.time_s
                   : assertion.metric == Metric::algbw ? row.algbw
                                                       : row.busbw;
        }
    }
    return std::nullopt;
}

std::optional<double> value_in_points(const Assertion& assertion, const std::vector<ScalingPoint>& points) {
    for (const ScalingPoint& point : points) {
        if (point.nodes == assertion.nodes) {
            return assertion.metric == Metric::efficiency ? point.efficiency : point.busbw_retained;
        }
    }
    return std::nullopt;
}

bool holds(const Assertion& assertion, double value) {
    if (assertion.comparison == ">") {
        return value > assertion.bound;
    }
    if (assertion.comparison == ">=") {
        return value >= assertion.bound;
    }
    return assertion.comparison == "<" ? value < assertion.bound : value <= assertion.bound;
}

std::string value_text(const Assertion& assertion, double value) {
    if (!is_of_row(assertion.metric)) {
        return text(value, Dimension::ratio);
    }
    return text(value, assertion.metric == Metric::time ? Dimension::time : Dimension::rate);
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
        const std::optional<double> value = is_of_row(assertion.metric) ? value_in_rows(assertion, report.rows)
                                                                        : value_in_points(assertion, report.points);
        if (!value) {
            failed.push_back(statement + ": no such row in the result");
        } else if (!holds(assertion, *value)) {
            failed.push_back(statement + ": found " + value_text(assertion, *value));
        }
    }
    return failed;
}

}  // namespace fabricast
