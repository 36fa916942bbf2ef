#pragma once
// The three regimes in which accuracy is reported: dominated by latency, by the choice of protocol, by bandwidth.

#include <array>
#include <cstdint>
#include <string_view>

#include "base/units.hpp"

namespace fabricast::inline score {

enum class Regime : std::uint8_t { small, mid, large };  // < 64 KiB, < 16 MiB, the rest
inline constexpr std::array<Regime, 3> all_regimes = {Regime::small, Regime::mid, Regime::large};

constexpr std::size_t index_of(Regime regime) { return static_cast<std::size_t>(regime); }

constexpr Regime regime_of(Bytes size) {
    return size.count < 65536 ? Regime::small : size.count < 16777216 ? Regime::mid : Regime::large;
}

constexpr std::string_view to_string(Regime regime) {
    constexpr std::array<std::string_view, 3> words = {"small", "mid", "large"};
    return words[index_of(regime)];
}

// The sizes of a regime, for people.
constexpr std::string_view sizes_of(Regime regime) {
    constexpr std::array<std::string_view, 3> words = {"below 64 KiB", "64 KiB to 16 MiB", "16 MiB and up"};
    return words[index_of(regime)];
}

// The end of the names of the catalogue's interval figures: "measured-here.middle".
constexpr std::string_view figure_suffix(Regime regime) {
    constexpr std::array<std::string_view, 3> words = {"small", "middle", "large"};
    return words[index_of(regime)];
}

}  // namespace fabricast::inline score
