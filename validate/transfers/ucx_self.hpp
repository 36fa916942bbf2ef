#pragma once
// How good a calibrated link model can be at best, measured on the one fabric that every machine has: probe-ucx over
// shared memory and TCP loopback. Links are fitted to the even rounds of a run and judged on the odd ones. The
// difference between rounds is reported too, because no model forecasts noise.

#include <vector>

#include "validate/import/measurement.hpp"

namespace fabricast::inline validate_transfers {

// t(S) = latency + S * seconds_per_byte for sizes of `from` and above: one protocol of a library (eager, rendezvous).
struct ProtocolSegment {
    double from = 0;  // bytes
    double latency = 0;
    double seconds_per_byte = 0;
};

struct TimedSize {
    double bytes = 0;
    double seconds = 0;
};

// The segments with the smallest sum of squared relative errors, where each additional segment must lower the sum by at
// least (10 %)^2. Each segment covers two sizes or more, and neither of its terms is negative. Exact, by dynamic
// programming over the sizes. Precondition: ascending sizes, at least two.
std::vector<ProtocolSegment> fit_protocols(const std::vector<TimedSize>& points);
double forecast(const std::vector<ProtocolSegment>& segments, double bytes);

struct SelfForecast {
    double median_pct = 0;  // |forecast / measured - 1| over the rows of odd rounds
    double noise_pct = 0;   // |one round / the round before - 1|, median over rows
    std::size_t curves = 0;
    std::size_t rows = 0;
};

// For a probe's file with two or more rounds and three or more sizes per curve. Throws InputError at what is missing.
SelfForecast forecast_itself(const Measurement& measurement);

}  // namespace fabricast::inline validate_transfers
