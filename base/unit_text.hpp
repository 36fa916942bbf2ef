#pragma once
// Parses quantities as people write them, "400 Gb/s" or "1.5 us", to exact integers and fractions, and prints them. A
// number without a unit is refused, and so is a size or time that is not a whole number of bytes or picoseconds.

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/units.hpp"
#include "base/yaml.hpp"

namespace fabricast::inline base {

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

// The text is not a quantity of the requested dimension; the message says what was found and what is accepted.
struct UnitError : ErrorWith<ExitCode::bad_input> {
    using ErrorWith::ErrorWith;
};

// A quantity in its dimension's base unit.
struct Quantity {
    double value = 0;
    Dimension dimension{};
};

// "B", "s", "B/s", "FLOP/s", "W", "m", "s/m", "Hz", "T/s" (transfers per second), "" (a ratio, which users write in %).
std::string_view base_unit(Dimension dimension);
// The units accepted for a dimension, smallest first: "B, kB, KiB, ...".
std::string accepted_units(Dimension dimension);

// Each throws UnitError. Decimals are exact: 1.5 KiB is 1536 bytes, 0.3 B is refused.
Bytes parse_bytes(std::string_view text);
Duration parse_duration(std::string_view text);
Rate parse_rate(std::string_view text);  // above zero
// Any dimension, finite and not negative.
Quantity parse_quantity(std::string_view text);
double parse_quantity(std::string_view text, Dimension dimension);

// The same for a YAML value; each throws InputError at the value.
Bytes as_bytes(const yaml::Node& node);
Duration as_duration(const yaml::Node& node);
Rate as_rate(const yaml::Node& node);
Quantity as_quantity(const yaml::Node& node);

// Text for people. A size is written exactly, in the largest binary unit that divides it ("4 MiB", "1000 B"), or in a
// decimal unit if that is much shorter. Everything else takes the largest decimal unit that is not above it, with at
// most four digits ("1.5 us", "50 GB/s").
std::string text(Bytes size);
std::string text(Duration span);
std::string text(Rate rate);
std::string text(double value, Dimension dimension);
// A share as a whole percentage: 0.31 gives "31 %".
std::string percent(double share);

}  // namespace fabricast::inline base
