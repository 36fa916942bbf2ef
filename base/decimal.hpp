#pragma once
// Decimals as people write them, and the exact fractions that they are.

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/units.hpp"

namespace fabricast::inline base {

// digits * 10^exponent.
struct Decimal {
    Int128 digits = 0;
    int exponent = 0;
};

// Reads digits, a point, digits, an exponent. Returns the position after the number, or 0 if there is no number.
std::size_t read_decimal(std::string_view text, Decimal& number);

// A reduced fraction.
struct Fraction {
    Int128 num = 0, den = 1;
};

// number * num / den * 10^exponent, exactly; nullopt if it overflows 128 bits.
std::optional<Fraction> fraction(const Decimal& number, std::int64_t num, std::int64_t den, int exponent);

}  // namespace fabricast::inline base
