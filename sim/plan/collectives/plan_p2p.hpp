#pragma once
// Sends and receives: all-to-all, gather, scatter, sendrecv.

#include "sim/plan/collectives/lowered_call.hpp"

namespace fabricast {

LoweredCall plan_p2p(const Call& call, Schedule& schedule);

}  // namespace fabricast
