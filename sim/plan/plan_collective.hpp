#pragma once
// The plan of a collective: a few back-to-back calls of one size.

#include "sim/plan/collectives/collective.hpp"
#include "sim/plan/size_planner.hpp"

namespace fabricast::inline plans {

SizePlanner size_planner(const CollectiveWorkload& workload, const PlanContext& context);

}  // namespace fabricast::inline plans
