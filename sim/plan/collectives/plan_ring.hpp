#pragma once
// Rings: all-reduce, all-gather, reduce-scatter, broadcast and reduce.

#include "sim/plan/collectives/lowered_call.hpp"

namespace fabricast {

LoweredCall plan_ring(const Call& call, Schedule& schedule);

}  // namespace fabricast
