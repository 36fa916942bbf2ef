#pragma once
// Algorithms that NCCL does not have, message by message.

#include "sim/plan/collectives/lowered_call.hpp"

namespace fabricast {

// Algorithms that NCCL does not have, message by message: recursive doubling, pairwise, hierarchical. Throws PlanError
// where the collective has no such form or the messages would be too many.
LoweredCall plan_steps(const Call& call, Schedule& schedule);

}  // namespace fabricast
