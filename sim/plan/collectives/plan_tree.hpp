#pragma once
// The double tree between nodes, chains inside.

#include "sim/plan/collectives/lowered_call.hpp"

namespace fabricast {

LoweredCall plan_tree(const Call& call, Schedule& schedule);

}  // namespace fabricast
