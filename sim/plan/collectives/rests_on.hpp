#pragma once
// What a call's forecast rests on.

#include "sim/plan/collectives/lowered_call.hpp"

namespace fabricast::inline collectives {

// Sets the plan's evidence, interval and figures; the plan has the call as lowered and launched.
void judge(const Call& call, const LaunchSpec& spec, const LoweredCall& lowering, CallPlan& plan);

}  // namespace fabricast::inline collectives
