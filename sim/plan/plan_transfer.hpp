#pragma once
// The plan of messages between two devices.

#include "sim/plan/size_planner.hpp"
#include "sim/plan/transfers/transfer_workload.hpp"

namespace fabricast::inline plans {

SizePlanner size_planner(const TransferWorkload& workload, const PlanContext& context);

}  // namespace fabricast::inline plans
