#pragma once
// Algorithms that NCCL does not have, message by message: recursive doubling, pairwise, hierarchical. What another
// library could reach.

#include "sim/plan/collectives/lowered_call.hpp"

namespace fabricast::inline collectives {

// Throws PlanError if the collective has no such form or there would be too many messages.
LoweredCall plan_steps(const Call& call, Schedule& schedule);

}  // namespace fabricast::inline collectives
