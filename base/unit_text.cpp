#include "base/unit_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "base/text.hpp"

namespace fabricast::inline base {

namespace {

// Decimals as people write them, and the exact fractions that they are.

// digits * 10^exponent.
struct Decimal {
    Int128 digits = 0;
    int exponent = 0;
};

// Reduced, of as many digits as it takes.
using Fraction = boost::multiprecision::cpp_rational;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads digits, a point, digits, an exponent. Returns the position after the number, or 0 if there is no number.
std::size_t read_decimal(std::string_view text, Decimal& number) {
    constexpr int most_digits = 36;  // which 128 bits hold
    std::size_t at = 0;
    int digits = 0;
    bool point = false;
    for (; at < text.size() && (is_digit(text[at]) || (text[at] == '.' && !point)); ++at) {
        if (text[at] == '.') {
            point = true;
            continue;
        }
        if (++digits > most_digits) { return 0; }
        number.digits = number.digits * 10 + (text[at] - '0');
        number.exponent -= point ? 1 : 0;
    }
    if (digits == 0) { return 0; }
    // An exponent only when digits follow: the E of "1 EFLOP/s" is a unit.
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        std::size_t next = at + 1;
        const bool minus = next < text.size() && text[next] == '-';
        next += next < text.size() && (text[next] == '-' || text[next] == '+') ? 1 : 0;
        if (next < text.size() && is_digit(text[next])) {
            int exponent = 0;
            for (; next < text.size() && is_digit(text[next]); ++next) {
                exponent = std::min(exponent * 10 + (text[next] - '0'), 1000);
            }
            number.exponent += minus ? -exponent : exponent;
            at = next;
        }
    }
    return at;
}

// Where a unit appears: text() writes it; messages list it as accepted too; or it is only read.
enum class Use : std::uint8_t { written, listed, read };

// One unit, in base units of its dimension: factor = num / den * 10^exponent, exact.
struct Unit {
    std::string_view name;
    int exponent = 0;
    Use use = Use::written;
    std::int64_t num = 1, den = 1;
};

constexpr std::int64_t ki = 1024, mi = ki * ki, gi = mi * ki, ti = gi * ki, pi = ti * ki;

constexpr Unit si(std::string_view name, int exponent) { return {name, exponent}; }
constexpr Unit rare(std::string_view name, int exponent) { return {name, exponent, Use::listed}; }
constexpr Unit alias(std::string_view name, int exponent) { return {name, exponent, Use::read}; }
constexpr Unit factor(std::string_view name, std::int64_t num) { return {name, 0, Use::listed, num}; }
constexpr Unit bits(std::string_view name, int exponent) { return {name, exponent, Use::listed, 1, 8}; }

// The units of each dimension, smallest first. Of the two letters for micro, U+00B5 is the sign, U+03BC is Greek.
constexpr std::array sizes = {si("B", 0),   si("kB", 3),       alias("KB", 3), factor("KiB", ki),
                              si("MB", 6),  factor("MiB", mi), si("GB", 9),    factor("GiB", gi),
                              si("TB", 12), factor("TiB", ti), si("PB", 15),   factor("PiB", pi)};
constexpr std::array spans = {si("ps", -12), si("ns", -9), si("us", -6),      alias("µs", -6),  alias("μs", -6),
                              si("ms", -3),  si("s", 0),   factor("min", 60), factor("h", 3600)};
constexpr std::array rates = {bits("b/s", 0),      bits("kb/s", 3), bits("Mb/s", 6),     bits("Gb/s", 9),
                              bits("Tb/s", 12),    si("B/s", 0),    si("kB/s", 3),       si("MB/s", 6),
                              factor("MiB/s", mi), si("GB/s", 9),   factor("GiB/s", gi), si("TB/s", 12)};
constexpr std::array compute_rates = {si("FLOP/s", 0),   si("MFLOP/s", 6),  si("GFLOP/s", 9),
                                      si("TFLOP/s", 12), si("PFLOP/s", 15), si("EFLOP/s", 18)};
constexpr std::array powers = {si("mW", -3), si("W", 0), si("kW", 3), si("MW", 6)};
constexpr std::array lengths = {si("mm", -3), rare("cm", -2), si("m", 0), si("km", 3)};
constexpr std::array delays = {si("ps/m", -12), si("ns/m", -9), rare("us/km", -9)};
constexpr std::array frequencies = {si("Hz", 0), si("MHz", 6), si("GHz", 9)};
constexpr std::array transfer_rates = {si("MT/s", 6), si("GT/s", 9)};
constexpr std::array ratios = {si("%", -2)};

struct DimensionRow {
    std::string_view base, example;
    std::span<const Unit> units;
};
// In the order of Dimension.
constexpr std::array dimensions = {
    DimensionRow{"B", "4 MiB", sizes},
    DimensionRow{"s", "1.5 us", spans},
    DimensionRow{"B/s", "400 Gb/s", rates},
    DimensionRow{"FLOP/s", "312 TFLOP/s", compute_rates},
    DimensionRow{"W", "700 W", powers},
    DimensionRow{"m", "2 m", lengths},
    DimensionRow{"s/m", "5 ns/m", delays},
    DimensionRow{"Hz", "1.98 GHz", frequencies},
    DimensionRow{"T/s", "32 GT/s", transfer_rates},
    DimensionRow{"", "80 %", ratios},
};

constexpr const DimensionRow& row_of(Dimension dimension) { return dimensions.at(static_cast<std::size_t>(dimension)); }

struct Parsed {
    Decimal number;
    const Unit* unit = nullptr;
    Dimension dimension{};
};

std::string accepted_text(std::optional<Dimension> dimension) {
    const std::string units = dimension ? ", in " + accepted_units(*dimension) : "";
    return fmt::format("a figure with its unit, as {}{}", row_of(dimension.value_or(Dimension::rate)).example, units);
}

[[noreturn]] void refuse(std::string_view what, std::string_view text, std::optional<Dimension> dimension,
                         std::string_view nearest = {}) {
    throw UnitError(error_message(what, shown(text), accepted_text(dimension), nearest));
}

bool is_non_finite(std::string_view text) {
    const std::string lower = lower_case(text.substr(0, text.find(' ')));
    const std::string_view word = std::string_view(lower).substr(lower.starts_with('+') || lower.starts_with('-'));
    return has_word("nan .nan inf .inf infinity", word);
}

// The unit that was probably meant: "b/s" for "bps", else the nearest name.
std::string nearest_unit(std::string_view found, std::optional<Dimension> dimension) {
    if (found.ends_with("bps")) { return std::string(found.substr(0, found.size() - 3)) + "b/s"; }
    std::vector<std::string> names;
    for (const DimensionRow& row : dimensions) {
        if (!dimension || &row == &row_of(*dimension)) {
            for (const Unit& unit : row.units) { names.emplace_back(unit.name); }
        }
    }
    return nearest_word(found, names);
}

Parsed read_quantity(std::string_view text, std::optional<Dimension> dimension) {
    if (is_non_finite(text)) { refuse("not a finite figure", text, dimension); }
    if (text.starts_with('-')) { refuse("a negative figure", text, dimension); }
    Parsed parsed;
    std::size_t at = text.starts_with('+') ? 1 : 0;
    const std::size_t length = read_decimal(text.substr(at), parsed.number);
    if (length == 0) { refuse("not a figure with a unit", text, dimension); }
    at = std::min(text.find_first_not_of(' ', at + length), text.size());
    const std::string_view name = text.substr(at);
    if (name.empty()) { refuse("a figure without its unit", text, dimension); }
    for (const DimensionRow& row : dimensions) {
        if (const auto unit = std::ranges::find(row.units, name, &Unit::name); unit != row.units.end()) {
            parsed.unit = &*unit;
            parsed.dimension = static_cast<Dimension>(&row - dimensions.data());
        }
    }
    if (parsed.unit == nullptr) { refuse("unknown unit", text, dimension, nearest_unit(name, dimension)); }
    if (dimension && parsed.dimension != *dimension) { refuse("a unit of another kind", text, dimension); }
    return parsed;
}

// The value in units of 10^-shift base units.
Fraction exact(const Parsed& parsed, int shift) {
    const auto& [number, unit, dimension] = parsed;
    const int exponent = number.exponent + unit->exponent + shift;
    const Fraction scale = pow(boost::multiprecision::cpp_int(10), static_cast<unsigned>(std::abs(exponent)));
    const Fraction value = Fraction(number.digits) * unit->num / unit->den;
    return exponent < 0 ? Fraction(value / scale) : Fraction(value * scale);
}

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

std::int64_t whole(std::string_view text, Dimension dimension, int shift, std::string_view grain) {
    const Fraction value = exact(read_quantity(text, dimension), shift);
    if (value > largest) { refuse("too large or written with too many digits", text, dimension); }
    if (denominator(value) != 1) { refuse("not a whole number of " + std::string(grain), text, dimension); }
    return numerator(value).convert_to<std::int64_t>();
}

// Correctly rounded: 312 TFLOP/s is 3.12e14 to the last bit.
double as_double(const Parsed& parsed, std::string_view text) {
    const auto value = exact(parsed, 0).convert_to<double>();
    if (!std::isfinite(value)) { refuse("too large", text, parsed.dimension); }
    return value;
}

template <class Parse> auto at_node(const yaml::Node& node, Parse parse) {
    if (!node.is_scalar()) { node.fail("must be a figure with its unit", "one figure, as 400 Gb/s or 4 MiB"); }
    try {
        return parse(node.text);
    } catch (const UnitError& error) { node.fail((node.name.empty() ? "" : "'" + node.name + "': ") + error.what()); }
}

}  // namespace

std::string_view base_unit(Dimension dimension) { return row_of(dimension).base; }

std::string accepted_units(Dimension dimension) {
    std::vector<std::string> names;
    for (const Unit& unit : row_of(dimension).units) {
        if (unit.use != Use::read) { names.emplace_back(unit.name); }
    }
    return joined(names);
}

Bytes parse_bytes(std::string_view text) { return {whole(text, Dimension::size, 0, "bytes")}; }

Duration parse_duration(std::string_view text) { return {whole(text, Dimension::time, 12, "picoseconds")}; }

Rate parse_rate(std::string_view text) {
    const Fraction rate = exact(read_quantity(text, Dimension::rate), -12);
    if (numerator(rate) > largest || denominator(rate) > largest) {
        refuse("too large, too small or written with too many digits", text, Dimension::rate);
    }
    if (rate == 0) { refuse("a rate of zero", text, Dimension::rate); }
    return {numerator(rate).convert_to<std::int64_t>(), denominator(rate).convert_to<std::int64_t>()};
}

Quantity parse_quantity(std::string_view text) {
    const Parsed parsed = read_quantity(text, std::nullopt);
    return {as_double(parsed, text), parsed.dimension};
}

double parse_quantity(std::string_view text, Dimension dimension) {
    return as_double(read_quantity(text, dimension), text);
}

Bytes as_bytes(const yaml::Node& node) { return at_node(node, parse_bytes); }
Duration as_duration(const yaml::Node& node) { return at_node(node, parse_duration); }
Rate as_rate(const yaml::Node& node) { return at_node(node, parse_rate); }
Quantity as_quantity(const yaml::Node& node) {
    return at_node(node, [](const std::string& text) { return parse_quantity(text); });
}

std::string text(Bytes size) {
    static constexpr std::array<std::string_view, 6> binary = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    static constexpr std::array<std::string_view, 6> decimal = {"B", "kB", "MB", "GB", "TB", "PB"};
    // The size in the largest unit that divides it, and the index of this unit.
    const auto divided = [&](std::int64_t step) {
        std::pair<std::int64_t, std::size_t> left{size.count, 0};
        for (; left.second + 1 < binary.size() && left.first >= step && left.first % step == 0; ++left.second) {
            left.first /= step;
        }
        return left;
    };
    const auto [count, unit] = divided(ki);
    const auto [shorter, decimal_unit] = divided(1000);
    constexpr std::int64_t readable = 10'000;  // without the decimal units, 2 GB would read 1953125 KiB
    return count >= readable && shorter < count ? fmt::format("{} {}", shorter, decimal.at(decimal_unit))
                                                : fmt::format("{} {}", count, binary.at(unit));
}

std::string text(double value, Dimension dimension) {
    // The largest decimal unit that is not above the value; if all are above it, the smallest.
    const Unit* best = nullptr;
    for (const Unit& unit : row_of(dimension).units) {
        const bool fits = best == nullptr || value >= std::pow(10.0, unit.exponent) * (1 - 1e-12);
        best = unit.use == Use::written && fits ? &unit : best;
    }
    return fmt::format("{:.4g} {}", value / std::pow(10.0, best->exponent), best->name);
}

std::string text(Duration span) { return text(to_seconds(span), Dimension::time); }

std::string text(Rate rate) { return text(rate.bytes_per_second(), Dimension::rate); }

std::string percent(double share) { return fmt::format("{} %", std::lround(100 * share)); }

}  // namespace fabricast::inline base
