#pragma once
// Turns the timeline of a replayed recording into its report and its trace.

#include "sim/engines/common/timeline.hpp"
#include "sim/plan/traces/replayed.hpp"
#include "sim/report/report.hpp"
#include "sim/report/trace_report.hpp"

namespace fabricast {

ReplayReport account(const Recording& recording, const RecordedJob& job, const Replayed& replayed,
                     const Timeline& timeline, const Fabric& fabric);

// Spans with a process for each rank and a thread for each stream; at most most_spans_per_row in total.
std::vector<TraceSpan> replay_spans(const Recording& recording, const RecordedJob& job, const Replayed& replayed,
                                    const Timeline& timeline);

}  // namespace fabricast
