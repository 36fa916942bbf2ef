#pragma once
// The three regimes in which accuracy is reported: dominated by latency, by the choice of protocol, by bandwidth.

#include <array>
#include <cstdint>
#include <string_view>

#include "base/units.hpp"

namespace fabricast {

enum class Regime : std::uint8_t { small, mid, large };  // < 64 KiB, < 16 MiB, the rest
inline constexpr std::array<Regime, 3> all_regimes = {Regime::small, Regime::mid, Regime::large};

constexpr Regime regime_of(Bytes size) {
    return size.count < 65536 ? Regime::small : size.count < 16777216 ? Regime::mid : Regime::large;
}

constexpr std::string_view to_string(Regime regime) {
    constexpr std::array<std::string_view, 3> words = {"small", "mid", "large"};
    return words[static_cast<std::size_t>(regime)];
}

}  // namespace fabricast
