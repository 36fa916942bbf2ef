#pragma once
// The quantities of the field as distinct types: sizes are whole bytes, time is whole picoseconds, a rate is an exact
// fraction of bytes per picosecond. Nothing converts silently, so bandwidths in bits and in bytes cannot be mixed up,
// and nothing wraps around: on overflow the operations throw OutOfRange.

#include <cassert>
#include <cmath>
#include <compare>
#include <cstdint>
#include <numeric>

#include "base/error.hpp"

namespace fabricast::inline base {

// A time of 2^63 ps or more, or an amount of 2^63 bytes or more.
struct OutOfRange : ErrorWith<ExitCode::bad_input> {
    using ErrorWith::ErrorWith;
};

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_time() {
    throw OutOfRange("a time beyond the 106 days that the clock holds, 2^63 ps");
}
[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_bytes() {
    throw OutOfRange("an amount beyond the 8 EiB that can be counted, 2^63 B");
}

// For intermediate results: bytes * 10^12 overflows 64 bits above 9 MB.
__extension__ using Int128 = __int128;

// A size or an amount of traffic, in bytes.
struct Bytes {
    std::int64_t count = 0;
    constexpr auto operator<=>(const Bytes&) const = default;
};

constexpr Bytes operator+(Bytes a, Bytes b) {
    return __builtin_add_overflow(a.count, b.count, &a.count) ? (refuse_bytes(), a) : a;
}
constexpr Bytes operator-(Bytes a, Bytes b) {
    return __builtin_sub_overflow(a.count, b.count, &a.count) ? (refuse_bytes(), a) : a;
}
constexpr Bytes operator*(Bytes a, std::int64_t k) {
    return __builtin_mul_overflow(a.count, k, &a.count) ? (refuse_bytes(), a) : a;
}
constexpr Bytes& operator+=(Bytes& a, Bytes b) { return a = a + b; }
// The nearest whole number of bytes.
inline Bytes rounded_bytes(double count) {
    return std::abs(count) < 0x1p63 ? Bytes{std::llround(count)} : (refuse_bytes(), Bytes{});
}

// A span of simulated time, in picoseconds; 2^63 ps are 106 days.
struct Duration {
    std::int64_t ps = 0;
    constexpr auto operator<=>(const Duration&) const = default;
};

constexpr Duration operator+(Duration a, Duration b) {
    return __builtin_add_overflow(a.ps, b.ps, &a.ps) ? (refuse_time(), a) : a;
}
constexpr Duration operator-(Duration a, Duration b) {
    return __builtin_sub_overflow(a.ps, b.ps, &a.ps) ? (refuse_time(), a) : a;
}
constexpr Duration operator*(Duration a, std::int64_t k) {
    return __builtin_mul_overflow(a.ps, k, &a.ps) ? (refuse_time(), a) : a;
}
constexpr Duration& operator+=(Duration& a, Duration b) { return a = a + b; }

// A point on the simulated clock: the time since the start of the replay.
using Time = Duration;

constexpr Duration nanoseconds(std::int64_t n) { return Duration{1000} * n; }
constexpr Duration microseconds(std::int64_t n) { return Duration{1'000'000} * n; }
constexpr double to_seconds(Duration d) { return static_cast<double>(d.ps) * 1e-12; }
// Rounds to the nearest picosecond.
constexpr Duration from_seconds(double s) {
    const double ps = s * 1e12 + (s < 0 ? -0.5 : 0.5);
    return ps > -0x1p63 && ps < 0x1p63 ? Duration{static_cast<std::int64_t>(ps)} : (refuse_time(), Duration{});
}

// Bytes per picosecond, per direction, as a reduced fraction; 400 Gb/s is exactly 1/20.
struct Rate {
    std::int64_t num = 0;
    std::int64_t den = 1;  // > 0

    constexpr Rate() = default;
    constexpr Rate(std::int64_t numerator, std::int64_t denominator) {
        assert(numerator >= 0 && denominator > 0);
        const std::int64_t divisor = numerator == 0 ? denominator : std::gcd(numerator, denominator);
        num = numerator / divisor;
        den = denominator / divisor;
    }
    // Whole bytes per second, exact.
    static constexpr Rate per_second(std::int64_t bytes) { return {bytes, 1'000'000'000'000}; }
    // Megabits (10^6 bits) per second, exact: 400 Gb/s is 400'000.
    static constexpr Rate megabits(std::int64_t mbit) { return {mbit, 8'000'000}; }

    constexpr double bytes_per_ps() const { return static_cast<double>(num) / static_cast<double>(den); }
    constexpr double bytes_per_second() const { return bytes_per_ps() * 1e12; }
    friend constexpr bool operator==(const Rate&, const Rate&) = default;
    friend constexpr std::strong_ordering operator<=>(const Rate& a, const Rate& b) {
        return static_cast<Int128>(a.num) * b.den <=> static_cast<Int128>(b.num) * a.den;
    }
};

}  // namespace fabricast::inline base
