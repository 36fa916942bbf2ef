#pragma once
// The trace: every operation of a replay in simulated time, as Chrome and Perfetto show it.

#include <string>
#include <vector>

#include "sim/engines/common/schedule.hpp"
#include "sim/engines/common/timeline.hpp"
#include "sim/report/report.hpp"

namespace fabricast::inline report {

inline constexpr std::size_t most_spans_per_row = 200'000, most_counters_per_row = 64;

// Asks the engine to keep the times of further operations, in order, until most_spans_per_row are kept in total.
void keep_all(Schedule& schedule);

// The spans of one replay; an operation that was kept twice appears once.
std::vector<TraceSpan> trace_spans(const Schedule& schedule, Bytes size, const Timeline& timeline,
                                   const Fabric& fabric);

// Trace Event Format as JSON: a process for each row, a thread for each lane, times in microseconds. For each row whose
// packets have series, a further process has counters of the links that carried most: Gb/s, and queue and pauses where
// there were any.
std::string chrome_trace(const std::vector<TraceSpan>& spans, const std::vector<PacketTraffic>& packets = {});

}  // namespace fabricast::inline report
