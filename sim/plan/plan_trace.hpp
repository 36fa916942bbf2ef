#pragma once
// The plan of a recorded trace: read, mapped to the ranks of its job, lowered to operations.

#include "sim/plan/size_planner.hpp"
#include "sim/plan/traces/trace_workload.hpp"

namespace fabricast::inline plans {

SizePlanner size_planner(const TraceWorkload& workload, const PlanContext& context);

}  // namespace fabricast::inline plans
