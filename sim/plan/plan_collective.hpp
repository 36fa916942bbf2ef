#pragma once
// The plan of a collective: a few back-to-back calls of one size.

#include "sim/plan/collectives/collective.hpp"
#include "sim/plan/size_planner.hpp"

namespace fabricast {

// The plan of a workload that is this one call.
Plan plan_of(CallPlan call, Collective collective, Bytes size);

SizePlanner size_planner(const CollectiveWorkload& workload, const PlanContext& context);

}  // namespace fabricast
