#pragma once
// The report of a replayed recording: where the time of its ranks goes.

#include "sim/report/replayed_plan.hpp"
#include "sim/report/report.hpp"

namespace fabricast::inline report {

void summarize(const TraceFacts& facts, const ReplayedPlan& replayed, Report& report);
std::vector<TraceSpan> spans_of(const TraceFacts& facts, const ReplayedPlan& replayed);

}  // namespace fabricast::inline report
