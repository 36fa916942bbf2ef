#pragma once
// The trace: every operation of a replay on the simulated clock, as Chrome and Perfetto show it.

#include <string>
#include <vector>

#include "sim/engines/common/schedule.hpp"
#include "sim/engines/common/timeline.hpp"
#include "sim/report/report.hpp"

namespace fabricast {

inline constexpr std::size_t most_spans_per_row = 200'000;

// Asks the engine to keep every operation (up to a limit), after those that the plan keeps.
void keep_all(Schedule& schedule);

// The spans of one replay; operations kept twice appear once.
std::vector<TraceSpan> trace_spans(const Schedule& schedule, Bytes size, const Timeline& timeline,
                                   const Fabric& fabric);

// Trace Event Format, JSON: a process a row, a thread a lane, microseconds.
std::string chrome_trace(const std::vector<TraceSpan>& spans);

}  // namespace fabricast
