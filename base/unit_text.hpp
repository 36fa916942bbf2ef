#pragma once
// Quantities as people write them, "400 Gb/s" or "1.5 us", to exact integers and fractions and back. A figure without
// its unit is refused, and so is one that is not a whole number of bytes or picoseconds.

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"
#include "base/yaml.hpp"

namespace fabricast {

enum class Dimension : std::uint8_t {
    size,
    time,
    rate,
    compute,
    power,
    length,
    time_per_length,
    frequency,
    transfers,
    ratio
};

// The text is no quantity of the dimension asked for; the message says what was found and what is accepted.
struct UnitError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A quantity in its dimension's base unit.
struct Quantity {
    double value = 0;
    Dimension dimension{};
};

// "B", "s", "B/s", "FLOP/s", "W", "m", "s/m", "Hz", "T/s" (transfers per second), "" (a ratio: written in %).
std::string_view base_unit(Dimension dimension);
// The units accepted for a dimension, smallest first: "B, kB, KiB, ...".
std::string accepted_units(Dimension dimension);

// Text to quantity; each throws UnitError. Decimals are exact: 1.5 KiB is 1536 bytes, 0.3 B is refused.
Bytes parse_bytes(std::string_view text);
Duration parse_duration(std::string_view text);
Rate parse_rate(std::string_view text);  // above zero
// Any dimension, finite and not negative.
Quantity parse_quantity(std::string_view text);
double parse_quantity(std::string_view text, Dimension dimension);

// The same for a value of a YAML text; each throws InputError at the value.
Bytes as_bytes(const yaml::Node& node);
Duration as_duration(const yaml::Node& node);
Rate as_rate(const yaml::Node& node);
Quantity as_quantity(const yaml::Node& node);
double as_quantity(const yaml::Node& node, Dimension dimension);

// For people: the largest binary unit that divides a size ("4 MiB", "1000 B"), the handiest decimal unit of the others,
// at most four digits ("1.5 us", "50 GB/s").
std::string text(Bytes size);
std::string text(Duration span);
std::string text(Rate rate);
std::string text(double value, Dimension dimension);
// A share in whole hundredths: "31 %".
std::string percent(double share);

}  // namespace fabricast
