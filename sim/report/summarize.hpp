#pragma once
// Plan + Timelines -> Report, for every kind of workload. Training and traces have their parts in summarize_*.cpp.

#include "sim/report/report.hpp"
#include "sim/report/traffic.hpp"

namespace fabricast::inline report {

// The report of one plan: one row, of the kind that its workload has.
Report summarize(const ReplayedPlan& replayed);

// The operations in simulated time, for --trace. Precondition: keep_for_trace prepared the plan.
std::vector<TraceSpan> spans_of(const ReplayedPlan& replayed);
void keep_for_trace(Plan& plan);

// Adds the rows of another plan to a report. The efficiency of a step is relative to the first one.
void append(Report& report, Report more);

// "formula only, at 9 of 31 sizes (8 B to 1 KiB)": the weakest evidence of the rows. Precondition: there are rows.
std::string weakest_evidence(const std::vector<Row>& rows);

}  // namespace fabricast::inline report
