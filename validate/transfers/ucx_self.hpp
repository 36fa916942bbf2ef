#pragma once
// What a calibrated link model can do at best, told on the one fabric that every machine has: probe-ucx over shared
// memory and TCP loopback. Links are fitted to the even rounds of a run and judged on the odd ones; beside it stands
// how far the rounds lie from each other, for no model forecasts noise.

#include <vector>

#include "validate/import/measurement.hpp"

namespace fabricast {

// t(S) = latency + S * seconds_per_byte for sizes from `from` on: one protocol of a library (eager, rendezvous, ...).
struct ProtocolSegment {
    double from = 0;  // bytes
    double latency = 0;
    double seconds_per_byte = 0;
};

struct TimedSize {
    double bytes = 0;
    double seconds = 0;
};

// The segments with the least sum of squared relative errors, each worth its keep: one more must lower the sum by
// (10 %)^2. Segments hold two sizes or more; neither part is negative. Exact, by dynamic programming over the sizes.
// Precondition: ascending sizes, at least two.
std::vector<ProtocolSegment> fit_protocols(const std::vector<TimedSize>& points);
double forecast(const std::vector<ProtocolSegment>& segments, double bytes);

struct SelfForecast {
    double median_pct = 0;     // |forecast / measured - 1| over the rows of odd rounds
    double median_factor = 1;  // max(f, 1 / f) of f = forecast / measured, median over the same rows
    double noise_pct = 0;      // |one round / the round before - 1|, median over rows
    std::size_t curves = 0;
    std::size_t rows = 0;
};

// Of a probe's file with two rounds or more and three sizes a curve. Throws InputError at what is missing.
SelfForecast forecast_itself(const Measurement& measurement);

}  // namespace fabricast
