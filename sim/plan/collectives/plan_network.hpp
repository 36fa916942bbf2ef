#pragma once
// Plans of PAT, and of CollNet, which reduces in the network.

#include "sim/plan/collectives/lowered_call.hpp"

namespace fabricast {

LoweredCall plan_pat(const Call& call, Schedule& schedule);
LoweredCall plan_collnet(const Call& call, Schedule& schedule);

}  // namespace fabricast
