#pragma once
// From seconds and rates, which are doubles, to whole picoseconds.

#include <cstdint>

#include "models/units.hpp"

namespace fabricast {

// Rounds up to the tick, but not for the last bits of a double: 83,160.0000000001 ps are 83,160.
inline Duration ticks_up(double seconds) {
    const double ps = seconds * 1e12;
    const double least = ps - (1e-6 + ps * 1e-15);
    const auto whole =
        static_cast<std::int64_t>(least);  // towards zero; std::ceil is a call where SSE 4.1 is not assumed
    return {whole + (static_cast<double>(whole) < least ? 1 : 0)};
}

}  // namespace fabricast
