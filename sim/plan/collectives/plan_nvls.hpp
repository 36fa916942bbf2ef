#pragma once
// Reduction and multicast in the NVSwitch, alone or with a tree between nodes.

#include "sim/plan/collectives/lowered_call.hpp"

namespace fabricast {

LoweredCall plan_nvls(const Call& call, Schedule& schedule);

}  // namespace fabricast
