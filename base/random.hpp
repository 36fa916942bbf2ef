#pragma once
// Random numbers, used as noise in synthetic measurements. The std distributions differ between libraries.

#include <cmath>
#include <cstdint>

#include "base/hash.hpp"

namespace fabricast::inline base {

// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) and Box-Muller.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    // In (0, 1).
    double uniform() {
        const std::uint64_t z = mix(state_);
        state_ += 0x9e3779b97f4a7c15U;  // the same increment that mix() adds
        return (static_cast<double>(z >> 11U) + 0.5) / 9007199254740992.0;
    }
    // Normally distributed: mean 0, standard deviation 1.
    double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(6.283185307179586 * uniform()); }

private:
    std::uint64_t state_;
};

}  // namespace fabricast::inline base
