#pragma once
// Points replayed side by side.

#include "sim/run/sweep/sweep.hpp"

namespace fabricast {

// Runs one point. What is wrong with it becomes its error; throws Stopped, and what is the machine's fault.
SweepOutcome run_point(const Sweep& sweep, std::size_t point, const std::atomic<bool>* stop, std::size_t threads = 1);

// Runs points on several threads and hands over each as it finishes, one at a time, from any of the threads. Throws as
// run_point; what was handed over stays.
void run_points(const Sweep& sweep, const std::vector<std::size_t>& points, std::size_t threads,
                const std::atomic<bool>* stop, const std::function<void(std::size_t, const SweepOutcome&)>& finished);

// The table in the order of the points. Points that have no outcome are left out.
SweepResult sweep_result(const Sweep& sweep, const SweepOutcomes& outcomes);

}  // namespace fabricast
