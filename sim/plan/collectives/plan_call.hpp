#pragma once
// One call of a collective by the algorithm that was chosen. To add an algorithm of NCCL: a source with its plan, and a
// row of the table in plan_call.cpp.

#include "sim/plan/collectives/lowered_call.hpp"

namespace fabricast {

// Collectives that NCCL makes of sends and receives.
bool is_p2p(Collective collective);
// Algorithms of other libraries, message by message.
bool is_stepped(Algorithm algorithm);

// Throws PlanError.
LoweredCall plan_call(const Call& call, Schedule& schedule);

}  // namespace fabricast
