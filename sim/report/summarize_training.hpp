#pragma once
// The row of a training step: where its time goes, and what it rests on.

#include "sim/report/replayed_plan.hpp"
#include "sim/report/report.hpp"

namespace fabricast::inline report {

void summarize(const TrainingFacts& facts, const ReplayedPlan& replayed, Report& report);
std::vector<TraceSpan> spans_of(const TrainingFacts& facts, const ReplayedPlan& replayed);

}  // namespace fabricast::inline report
