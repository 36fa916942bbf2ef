#include "base/unit_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/decimal.hpp"
#include "base/nearest_word.hpp"
#include "base/text.hpp"

namespace fabricast {

namespace {

// One unit, in base units of its dimension: factor = num / den * 10^exponent, exact.
struct Unit {
    std::string_view name;
    Dimension dimension;
    std::int64_t num;
    std::int64_t den;
    int exponent;
};

constexpr std::int64_t ki = 1024;

// Base units: byte, second, byte per second, FLOP/s, watt, metre, second per metre, hertz, transfer per second, 1.
constexpr std::array units = {
    Unit{"B", Dimension::size, 1, 1, 0},
    Unit{"kB", Dimension::size, 1, 1, 3},
    Unit{"KB", Dimension::size, 1, 1, 3},
    Unit{"KiB", Dimension::size, ki, 1, 0},
    Unit{"MB", Dimension::size, 1, 1, 6},
    Unit{"MiB", Dimension::size, ki* ki, 1, 0},
    Unit{"GB", Dimension::size, 1, 1, 9},
    Unit{"GiB", Dimension::size, ki* ki* ki, 1, 0},
    Unit{"TB", Dimension::size, 1, 1, 12},
    Unit{"TiB", Dimension::size, ki* ki* ki* ki, 1, 0},
    Unit{"PB", Dimension::size, 1, 1, 15},
    Unit{"PiB", Dimension::size, ki* ki* ki* ki* ki, 1, 0},
    Unit{"ps", Dimension::time, 1, 1, -12},
    Unit{"ns", Dimension::time, 1, 1, -9},
    Unit{"us", Dimension::time, 1, 1, -6},
    Unit{"\xC2\xB5s", Dimension::time, 1, 1, -6},  // U+00B5, the micro sign
    Unit{"\xCE\xBCs", Dimension::time, 1, 1, -6},  // U+03BC, the Greek letter
    Unit{"ms", Dimension::time, 1, 1, -3},
    Unit{"s", Dimension::time, 1, 1, 0},
    Unit{"min", Dimension::time, 60, 1, 0},
    Unit{"h", Dimension::time, 3600, 1, 0},
    Unit{"b/s", Dimension::rate, 1, 8, 0},
    Unit{"kb/s", Dimension::rate, 1, 8, 3},
    Unit{"Mb/s", Dimension::rate, 1, 8, 6},
    Unit{"Gb/s", Dimension::rate, 1, 8, 9},
    Unit{"Tb/s", Dimension::rate, 1, 8, 12},
    Unit{"B/s", Dimension::rate, 1, 1, 0},
    Unit{"kB/s", Dimension::rate, 1, 1, 3},
    Unit{"MB/s", Dimension::rate, 1, 1, 6},
    Unit{"MiB/s", Dimension::rate, ki* ki, 1, 0},
    Unit{"GB/s", Dimension::rate, 1, 1, 9},
    Unit{"GiB/s", Dimension::rate, ki* ki* ki, 1, 0},
    Unit{"TB/s", Dimension::rate, 1, 1, 12},
    Unit{"FLOP/s", Dimension::compute, 1, 1, 0},
    Unit{"MFLOP/s", Dimension::compute, 1, 1, 6},
    Unit{"GFLOP/s", Dimension::compute, 1, 1, 9},
    Unit{"TFLOP/s", Dimension::compute, 1, 1, 12},
    Unit{"PFLOP/s", Dimension::compute, 1, 1, 15},
    Unit{"EFLOP/s", Dimension::compute, 1, 1, 18},
    Unit{"mW", Dimension::power, 1, 1, -3},
    Unit{"W", Dimension::power, 1, 1, 0},
    Unit{"kW", Dimension::power, 1, 1, 3},
    Unit{"MW", Dimension::power, 1, 1, 6},
    Unit{"mm", Dimension::length, 1, 1, -3},
    Unit{"cm", Dimension::length, 1, 1, -2},
    Unit{"m", Dimension::length, 1, 1, 0},
    Unit{"km", Dimension::length, 1, 1, 3},
    Unit{"ps/m", Dimension::time_per_length, 1, 1, -12},
    Unit{"ns/m", Dimension::time_per_length, 1, 1, -9},
    Unit{"us/km", Dimension::time_per_length, 1, 1, -9},
    Unit{"Hz", Dimension::frequency, 1, 1, 0},
    Unit{"MHz", Dimension::frequency, 1, 1, 6},
    Unit{"GHz", Dimension::frequency, 1, 1, 9},
    Unit{"MT/s", Dimension::transfers, 1, 1, 6},
    Unit{"GT/s", Dimension::transfers, 1, 1, 9},
    Unit{"%", Dimension::ratio, 1, 1, -2},
};

struct Parsed {
    Decimal number;
    const Unit* unit = nullptr;
};

std::string example(Dimension dimension) {
    static constexpr std::array<std::string_view, 10> examples = {"4 MiB", "1.5 us", "400 Gb/s", "312 TFLOP/s", "700 W",
                                                                  "2 m",   "5 ns/m", "1.98 GHz", "32 GT/s",     "80 %"};
    return std::string(examples.at(static_cast<std::size_t>(dimension)));
}

std::string accepted_text(std::optional<Dimension> dimension) {
    return dimension ? "a figure with its unit, as " + example(*dimension) + ", in " + accepted_units(*dimension)
                     : "a figure with its unit, as 400 Gb/s";
}

[[noreturn]] void refuse(std::string_view what, std::string_view text, std::optional<Dimension> dimension,
                         std::string_view nearest = {}) {
    throw UnitError(error_message(what, shown(text), accepted_text(dimension), nearest));
}

bool is_non_finite(std::string_view text) {
    const std::string lower = lower_case(text.substr(0, text.find(' ')));
    const std::string_view word =
        lower.starts_with('+') || lower.starts_with('-') ? std::string_view(lower).substr(1) : std::string_view(lower);
    return word == "nan" || word == ".nan" || word == "inf" || word == ".inf" || word == "infinity";
}

// The unit that was probably meant: "b/s" for "bps", else the nearest name.
std::string nearest_unit(std::string_view found, std::optional<Dimension> dimension) {
    std::vector<std::string> names;
    for (const Unit& unit : units) {
        if (!dimension || unit.dimension == *dimension) {
            names.emplace_back(unit.name);
        }
    }
    if (found.ends_with("bps")) {
        return std::string(found.substr(0, found.size() - 3)) + "b/s";
    }
    return nearest_word(found, names);
}

Parsed read_quantity(std::string_view text, std::optional<Dimension> dimension) {
    if (is_non_finite(text)) {
        refuse("not a finite figure", text, dimension);
    }
    if (text.starts_with('-')) {
        refuse("a negative figure", text, dimension);
    }
    Parsed parsed;
    std::size_t at = text.starts_with('+') ? 1 : 0;
    const std::size_t length = read_decimal(text.substr(at), parsed.number);
    if (length == 0) {
        refuse("not a figure with a unit", text, dimension);
    }
    at = std::min(text.find_first_not_of(' ', at + length), text.size());
    const std::string_view name = text.substr(at);
    if (name.empty()) {
        refuse("a figure without its unit", text, dimension);
    }
    const auto unit = std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.name == name; });
    if (unit == units.end()) {
        refuse("unknown unit", text, dimension, nearest_unit(name, dimension));
    }
    if (dimension && unit->dimension != *dimension) {
        refuse("a unit of another kind", text, dimension);
    }
    parsed.unit = &*unit;
    return parsed;
}

// The value in units of 10^-shift base units; nullopt if it overflows 128 bits.
std::optional<Fraction> exact(const Parsed& parsed, int shift) {
    return fraction(parsed.number, parsed.unit->num, parsed.unit->den, parsed.unit->exponent + shift);
}

constexpr Int128 largest = std::numeric_limits<std::int64_t>::max();

std::int64_t whole(std::string_view text, Dimension dimension, int shift, std::string_view grain) {
    const std::optional<Fraction> f = exact(read_quantity(text, dimension), shift);
    if (f && f->den != 1) {
        refuse("not a whole number of " + std::string(grain), text, dimension);
    }
    if (!f || f->num > largest) {
        refuse("too large or written with too many digits", text, dimension);
    }
    return static_cast<std::int64_t>(f->num);
}

// Correctly rounded if the fraction is exact: 312 TFLOP/s is 3.12e14 to the last bit.
double as_double(const Parsed& parsed, std::string_view text) {
    const std::optional<Fraction> f = exact(parsed, 0);
    const auto rounded = [](Int128 number) { return static_cast<double>(number); };
    const double value = f ? rounded(f->num) / rounded(f->den)
                           : rounded(parsed.number.digits) * rounded(parsed.unit->num) / rounded(parsed.unit->den) *
                                 std::pow(10.0, parsed.number.exponent + parsed.unit->exponent);
    if (!std::isfinite(value)) {
        refuse("too large", text, parsed.unit->dimension);
    }
    return value;
}

template <class Parse>
auto at_node(const yaml::Node& node, Parse parse) {
    if (!node.is_scalar()) {
        node.fail("must be a figure with its unit", "one figure, as 400 Gb/s or 4 MiB");
    }
    try {
        return parse(node.text);
    } catch (const UnitError& error) {
        node.fail((node.name.empty() ? "" : "'" + node.name + "': ") + error.what());
    }
}

}  // namespace

std::string_view base_unit(Dimension dimension) {
    static constexpr std::array<std::string_view, 10> bases = {"B", "s",   "B/s", "FLOP/s", "W",
                                                               "m", "s/m", "Hz",  "T/s",    ""};
    return bases.at(static_cast<std::size_t>(dimension));
}

std::string accepted_units(Dimension dimension) {
    std::vector<std::string> names;
    for (const Unit& unit : units) {
        const bool ascii = static_cast<unsigned char>(unit.name[0]) < 0x80;
        if (unit.dimension == dimension && ascii && unit.name != "KB") {
            names.emplace_back(unit.name);
        }
    }
    return joined(names);
}

Bytes parse_bytes(std::string_view text) { return {whole(text, Dimension::size, 0, "bytes")}; }

Duration parse_duration(std::string_view text) { return {whole(text, Dimension::time, 12, "picoseconds")}; }

Rate parse_rate(std::string_view text) {
    const std::optional<Fraction> f = exact(read_quantity(text, Dimension::rate), -12);
    if (!f || f->num > largest || f->den > largest) {
        refuse("too large, too small or written with too many digits", text, Dimension::rate);
    }
    if (f->num == 0) {
        refuse("a rate of zero", text, Dimension::rate);
    }
    return {static_cast<std::int64_t>(f->num), static_cast<std::int64_t>(f->den)};
}

Quantity parse_quantity(std::string_view text) {
    const Parsed parsed = read_quantity(text, std::nullopt);
    return {as_double(parsed, text), parsed.unit->dimension};
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
double as_quantity(const yaml::Node& node, Dimension dimension) {
    return at_node(node, [&](const std::string& text) { return parse_quantity(text, dimension); });
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
    for (const Unit& unit : units) {
        if (unit.dimension != dimension || unit.num != 1 || unit.den == 8 || unit.name == "KB" ||
            unit.name == "us/km" || unit.name == "cm" || static_cast<unsigned char>(unit.name[0]) >= 0x80) {
            continue;
        }
        if (best == nullptr || value >= std::pow(10.0, unit.exponent) * (1 - 1e-12)) {
            best = &unit;
        }
    }
    if (best == nullptr) {  // a dimension without decimal units
        return fmt::format("{:.4g}", value);
    }
    return fmt::format("{:.4g} {}", value / std::pow(10.0, best->exponent), best->name);
}

std::string text(Duration span) { return text(to_seconds(span), Dimension::time); }

std::string text(Rate rate) { return text(rate.bytes_per_second(), Dimension::rate); }

std::string percent(double share) { return fmt::format("{} %", std::lround(100 * share)); }

}  // namespace fabricast
