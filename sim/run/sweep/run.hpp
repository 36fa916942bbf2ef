#pragma once
// Running the points of a sweep in parallel.

#include "sim/run/sweep/sweep.hpp"

namespace fabricast::inline sweep {

// Runs one point. An error in the point becomes its outcome. Throws Stopped, IoError and bad_alloc, which are no fault
// of the point.
SweepOutcome run_point(const Sweep& sweep, std::size_t point, const std::atomic<bool>* stop, std::size_t threads = 1);

// Runs points on several threads and calls `finished` for each, one call at a time, from any of the threads. Throws as
// run_point; points that were handed to `finished` before are not lost.
void run_points(const Sweep& sweep, const std::vector<std::size_t>& points, std::size_t threads,
                const std::atomic<bool>* stop, const std::function<void(std::size_t, const SweepOutcome&)>& finished);

// The table in the order of the points. Points that have no outcome are left out.
SweepResult sweep_result(const Sweep& sweep, const SweepOutcomes& outcomes);

}  // namespace fabricast::inline sweep
