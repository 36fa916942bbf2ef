#pragma once
// The row of a collective's size.

#include "sim/report/replayed_plan.hpp"
#include "sim/report/report.hpp"

namespace fabricast {

// "node0.gpu3 -> node0.nvswitch 97 %" if a link is busy for at least half of the time. Otherwise what takes at least
// half of the time: "congestion control" (engine packet: it holds back the flows), "channel rate" (how fast the
// channels' copy loops run) or "issue" (host and launch); if none does, "latency".
std::string bottleneck(const ReplayedPlan& replayed);

// algbw = size / time and busbw = algbw * factor, as nccl-tests counts them (doc/PERFORMANCE.md).
void summarize(const CollectiveFacts& facts, const ReplayedPlan& replayed, Report& report);
std::vector<TraceSpan> spans_of(const CollectiveFacts& facts, const ReplayedPlan& replayed);

}  // namespace fabricast
