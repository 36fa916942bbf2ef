#pragma once
// The row of one size of messages between two devices.

#include "sim/report/replayed_plan.hpp"
#include "sim/report/report.hpp"

namespace fabricast::inline report {

void summarize(const TransferFacts& facts, const ReplayedPlan& replayed, Report& report);
std::vector<TraceSpan> spans_of(const TransferFacts& facts, const ReplayedPlan& replayed);

}  // namespace fabricast::inline report
