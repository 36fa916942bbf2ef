#pragma once
// The plan of a training step, and whether its GPUs have the memory for it.

#include "sim/plan/size_planner.hpp"
#include "sim/plan/training/training_workload.hpp"

namespace fabricast::inline plans {

SizePlanner size_planner(const TrainingWorkload& workload, const PlanContext& context);

}  // namespace fabricast::inline plans
