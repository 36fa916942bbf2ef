#pragma once
// From seconds and rates, which are doubles, to whole picoseconds.

#include <cmath>
#include <cstdint>

#include "models/units.hpp"

namespace fabricast {

// Rounds up to the tick, but not for the last bits of a double: 83,160.0000000001 ps are 83,160.
inline Duration ticks_up(double seconds) {
    const double ps = seconds * 1e12;
    return {static_cast<std::int64_t>(std::ceil(ps - (1e-6 + ps * 1e-15)))};
}

}  // namespace fabricast
