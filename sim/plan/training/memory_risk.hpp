#pragma once
// How much memory a step takes with three chances in four, for those who choose among layouts: what is counted alone
// would leave a layout an even chance to run out of memory.

#include <cmath>

#include "base/percentile.hpp"
#include "sim/plan/training/memory.hpp"

namespace fabricast::inline training {

inline double likely_bytes(const StepMemory& memory) {
    constexpr double upper_quartile = 0.6744897501960817;  // of the normal distribution
    return memory.total() * std::pow(memory.high80 / memory.total(), upper_quartile / normal_decile);
}

}  // namespace fabricast::inline training
