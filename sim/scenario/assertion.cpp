#include "sim/scenario/assertion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.hpp"
#include "base/unit_text.hpp"

namespace fabricast::inline scenario::asserted {

namespace {

constexpr std::array metrics = {
    Metric{"time", "time_s", Scope::size, Measure::time},
    Metric{"algbw", "algbw_Bps", Scope::size, Measure::rate},
    Metric{"busbw", "busbw_Bps", Scope::size, Measure::rate},
    Metric{"busbw_retained", "busbw_retained", Scope::cluster, Measure::share},
    Metric{"efficiency", "efficiency", Scope::cluster, Measure::share},
    Metric{"step_time", "step_time_s", Scope::cluster, Measure::time},
    Metric{"exposed", "exposed_comm_s", Scope::cluster, Measure::time},
    Metric{"tokens_per_s", "tokens_per_s", Scope::cluster, Measure::number},
    Metric{"samples_per_s", "samples_per_s", Scope::cluster, Measure::number},
    Metric{"mfu", "mfu", Scope::cluster, Measure::share},
    Metric{"makespan", "makespan_s", Scope::whole, Measure::time},
};

constexpr std::string_view accepted = "busbw >= 350 GB/s at 1 GiB, or efficiency >= 0.9 at 1024 gpus";

[[noreturn]] void refuse(std::string_view what, std::string_view statement) {
    throw UnitError(error_message(what, shown(statement), accepted));
}

const Metric& metric_named(std::string_view name) {
    const auto found = std::ranges::find(metrics, name, &Metric::name);
    if (found == metrics.end()) {
        const std::vector<std::string> words = names_of(metrics, &Metric::name);
        throw UnitError(error_message("unknown metric", shown(name), joined(words), nearest_word(name, words)));
    }
    return *found;
}

template <class Number> Number plain_number(std::string_view text) {
    const std::optional<Number> value = number_in<Number>(text);
    if (!value || !std::isfinite(static_cast<double>(*value))) {  // "nan" and "inf" are numbers, but no bounds
        throw UnitError(error_message("not a plain number", shown(text), "a number without unit"));
    }
    return *value;
}

double bound_of(const Metric& metric, std::string_view text) {
    switch (metric.measure) {
        case Measure::time: return to_seconds(parse_duration(text));
        case Measure::rate: return parse_rate(text).bytes_per_second();
        case Measure::number: return plain_number<double>(text);
        case Measure::share: break;
    }
    if (text.ends_with('%')) { return parse_quantity(text, Dimension::ratio); }
    const double share = plain_number<double>(text);
    if (share > 1) {  // "58" is more likely per cent than 58 times all there is
        throw UnitError(error_message("a share above 1", shown(text), fmt::format("up to 1, or {} %", text)));
    }
    return share;
}

// Reads "1 GiB", "1024 gpus" or "16 nodes"; a plain number is a number of nodes.
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

// Reads the left side of the sign: METRIC or METRIC(PLACE).
void read_metric(Assertion& assertion, std::string_view left, std::string_view statement) {
    const std::size_t open = left.find('(');
    assertion.metric = &metric_named(trimmed(left.substr(0, open), " "));
    if (open != std::string_view::npos) {
        if (!left.ends_with(')')) { refuse("not a statement about the result", statement); }
        read_place(assertion, trimmed(left.substr(open + 1, left.size() - open - 2), " "), statement);
    }
}

}  // namespace

Assertion parse(std::string_view statement) {
    const std::size_t at = statement.find_first_of("<>");
    if (at == std::string_view::npos) { refuse("not a statement about the result", statement); }
    Assertion assertion;
    read_metric(assertion, trimmed(statement.substr(0, at), " "), statement);
    assertion.above = statement[at] == '>';
    assertion.equal = statement.substr(at + 1).starts_with('=');
    std::string_view right = statement.substr(at + (assertion.equal ? 2 : 1));
    if (const std::size_t place = right.find(" at "); place != std::string_view::npos) {
        if (assertion.size || assertion.nodes || assertion.gpus) { refuse("says twice where", statement); }
        read_place(assertion, trimmed(right.substr(place + 4), " "), statement);
        right = right.substr(0, place);
    }
    assertion.bound = bound_of(*assertion.metric, trimmed(right, " "));
    if (assertion.metric->scope == Scope::size && !assertion.size) {
        refuse("'" + std::string(assertion.metric->name) + "' is of a size", statement);
    }
    return assertion;
}

std::string checked(const yaml::Node& node) {
    try {
        parse(node.as_string());
        return node.text;
    } catch (const UnitError& error) { node.fail("'" + node.name + "': " + error.what()); }
}

}  // namespace fabricast::inline scenario::asserted
