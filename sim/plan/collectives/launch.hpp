#pragma once
// How the iterations of a plan are launched.

#include "sim/plan/collectives/lowered_call.hpp"

namespace fabricast::inline collectives {

// Adds the plan's iterations, launched as the spec says, and keeps the end of each.
void launch_iterations(const Call& call, const LaunchSpec& spec, const LoweredCall& lowering, CallPlan& plan);

}  // namespace fabricast::inline collectives
