#pragma once
// From seconds and rates, which are doubles, to whole picoseconds.

#include <cstdint>
#include <limits>

#include "base/units.hpp"

namespace fabricast {

// Rounded up to the tick, but not for the last bits of a double: 83,160.0000000001 ps are 83,160.
inline double least_ticks(double seconds) {
    const double ps = seconds * 1e12;
    return ps - (1e-6 + ps * 1e-15);
}
inline std::int64_t rounded_up(double least) {
    const auto whole =
        static_cast<std::int64_t>(least);  // towards zero; std::ceil is a call where SSE 4.1 is not assumed
    return whole + (static_cast<double>(whole) < least ? 1 : 0);
}

// Throws OutOfRange.
inline Duration ticks_up(double seconds) {
    const double least = least_ticks(seconds);
    if (!(least < 0x1p63)) {
        refuse_time();
    }
    return {rounded_up(least)};
}

inline constexpr Time end_of_time{std::numeric_limits<std::int64_t>::max()};

// When what needs `seconds` more is over, as far as is known at `now`. What would be over beyond the clock is so at the
// end of time: a prediction may be late without harm, since a link that recovers brings it nearer.
inline Time predicted(Time now, double seconds) {
    const double least = least_ticks(seconds);
    Time then = now;
    const bool late = !(least < 0x1p63) || __builtin_add_overflow(now.ps, rounded_up(least), &then.ps);
    return late ? end_of_time : then;
}

}  // namespace fabricast
