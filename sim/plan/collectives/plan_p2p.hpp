#pragma once
// Sends and receives: all-to-all(v), the shift of nccl-tests' sendrecv, gather and scatter.

#include "sim/plan/collectives/lowered_call.hpp"

namespace fabricast::inline collectives {

LoweredCall plan_p2p(const Call& call, Schedule& schedule);

}  // namespace fabricast::inline collectives
