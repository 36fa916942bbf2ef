#pragma once
// Lowers one call of a collective with the chosen algorithm.

#include "sim/plan/collectives/lowered_call.hpp"

namespace fabricast::inline collectives {

// Whether NCCL makes this collective from sends and receives.
bool is_p2p(Collective collective);
// Whether this is another library's algorithm, lowered message by message.
bool is_stepped(Algorithm algorithm);

// Throws PlanError.
LoweredCall plan_call(const Call& call, Schedule& schedule);

}  // namespace fabricast::inline collectives
