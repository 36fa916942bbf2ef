#pragma once
// The row of a collective's size.

#include "sim/report/replayed_plan.hpp"
#include "sim/report/report.hpp"

namespace fabricast::inline report {

// algbw = size / time and busbw = algbw * factor, as nccl-tests counts them (doc/PERFORMANCE.md).
void summarize(const CollectiveFacts& facts, const ReplayedPlan& replayed, Report& report);
std::vector<TraceSpan> spans_of(const CollectiveFacts& facts, const ReplayedPlan& replayed);

}  // namespace fabricast::inline report
