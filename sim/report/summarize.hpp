#pragma once
// Turns a replayed plan into one row of the table.

#include "sim/engines/common/timeline.hpp"
#include "sim/plan/collectives/planner.hpp"
#include "sim/report/report.hpp"

namespace fabricast {

// Seconds of one iteration in the steady state: from the end of the last but one to the end of the last. If the plan
// has timed calls, which overlap: their average, as nccl-tests measures it.
double iteration_time(const Plan& plan, const Timeline& timeline);

// algbw = size / time and busbw = algbw * factor, as nccl-tests counts them (doc/PERFORMANCE.md).
Row summarize(const Plan& plan, Bytes size, const Timeline& timeline, const Fabric& fabric);

// "node0.gpu3 -> node0.nvswitch 97 %" if a link is busy for at least half of the time. Otherwise what takes at least
// half of the time: "congestion control" (engine packet: it holds back the flows), "channel rate" (how fast the
// channels' copy loops run) or "issue" (host and launch); if none does, "latency".
std::string bottleneck(const Plan& plan, const Timeline& timeline, const Fabric& fabric);

LinkTraffic link_traffic(std::string row, const Timeline& timeline, const Fabric& fabric);

// "formula only, at 9 of 31 sizes (8 B to 1 KiB)": the weakest evidence of the rows. Precondition: there are rows.
std::string weakest_evidence(const std::vector<Row>& rows);

}  // namespace fabricast
