#pragma once
// The row of one message size: of a collective, or of messages between two devices.

#include "sim/report/report.hpp"
#include "sim/report/traffic.hpp"

namespace fabricast::inline report {

// algbw = size / time and busbw = algbw * factor, as nccl-tests counts them (doc/PERFORMANCE.md).
void summarize(const CollectiveFacts& facts, const ReplayedPlan& replayed, Report& report);
std::vector<TraceSpan> spans_of(const CollectiveFacts& facts, const ReplayedPlan& replayed);

void summarize(const TransferFacts& facts, const ReplayedPlan& replayed, Report& report);
std::vector<TraceSpan> spans_of(const TransferFacts& facts, const ReplayedPlan& replayed);

}  // namespace fabricast::inline report
