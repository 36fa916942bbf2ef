#pragma once
// The report of a replayed recording: where the time of its ranks goes.

#include "sim/report/report.hpp"
#include "sim/report/traffic.hpp"

namespace fabricast::inline report {

void summarize(const TraceFacts& facts, const ReplayedPlan& replayed, Report& report);
std::vector<TraceSpan> spans_of(const TraceFacts& facts, const ReplayedPlan& replayed);

}  // namespace fabricast::inline report
