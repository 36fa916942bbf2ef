#pragma once
// The double binary tree between nodes, with a chain inside each node.

#include "sim/plan/collectives/lowered_call.hpp"

namespace fabricast {

LoweredCall plan_tree(const Call& call, Schedule& schedule);

}  // namespace fabricast
