#pragma once
// From seconds and rates, which are doubles, to whole picoseconds.

#include <cstdint>
#include <limits>

#include "base/units.hpp"

namespace fabricast::inline engine_common {

// Picoseconds to be rounded up, without the last bits of a double, which would add a tick to 83,160.0000000001 ps.
inline double least_ticks(double seconds) {
    const double ps = seconds * 1e12;
    return ps - (1e-6 + ps * 1e-15);
}
inline std::int64_t rounded_up(double least) {
    const auto whole = static_cast<std::int64_t>(least);  // towards zero; without SSE 4.1, std::ceil is a function call
    return whole + (static_cast<double>(whole) < least ? 1 : 0);
}

// Throws OutOfRange.
inline Duration ticks_up(double seconds) {
    const double least = least_ticks(seconds);
    if (!(least < 0x1p63)) { refuse_time(); }
    return {rounded_up(least)};
}

inline constexpr Time end_of_time{std::numeric_limits<std::int64_t>::max()};

// When something that needs `seconds` more will be over, as predicted at `now`. If that is beyond the range of the
// clock, the end of time: this is no error, since a link that recovers may bring it nearer.
inline Time predicted(Time now, double seconds) {
    const double least = least_ticks(seconds);
    Time then = now;
    const bool late = !(least < 0x1p63) || __builtin_add_overflow(now.ps, rounded_up(least), &then.ps);
    return late ? end_of_time : then;
}

}  // namespace fabricast::inline engine_common
