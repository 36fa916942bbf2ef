#pragma once
// The part of summarize() that each kind of workload has: its row, and its operations in simulated time.

#include "sim/report/summarize.hpp"

namespace fabricast {

// algbw = size / time and busbw = algbw * factor, as nccl-tests counts them (doc/PERFORMANCE.md).
void summarize(const CollectiveFacts& facts, const ReplayedPlan& replayed, Report& report);
std::vector<TraceSpan> spans_of(const CollectiveFacts& facts, const ReplayedPlan& replayed);

// Where a training step's time goes, and what its forecast rests on.
void summarize(const TrainingFacts& facts, const ReplayedPlan& replayed, Report& report);
std::vector<TraceSpan> spans_of(const TrainingFacts& facts, const ReplayedPlan& replayed);

// Where the time of a recording's ranks goes.
void summarize(const TraceFacts& facts, const ReplayedPlan& replayed, Report& report);
std::vector<TraceSpan> spans_of(const TraceFacts& facts, const ReplayedPlan& replayed);

// One size of messages between two devices.
void summarize(const TransferFacts& facts, const ReplayedPlan& replayed, Report& report);
std::vector<TraceSpan> spans_of(const TransferFacts& facts, const ReplayedPlan& replayed);

// What the links carried in a replay.
LinkTraffic link_traffic(std::string row, const Timeline& timeline, const Fabric& fabric);
// "node0.gpu3 -> node0.nvswitch 97 %": the busiest link if it is busy for at least `least` of the time, else empty.
std::string busiest_text(const Timeline& timeline, const Fabric& fabric, double least);

}  // namespace fabricast
