#pragma once
// What a call's forecast rests on.

#include "sim/plan/collectives/lowered_call.hpp"

namespace fabricast::inline collectives {

// The weakest evidence among the figures that matter to the call's time, at best the lowering's. `schedule` is the call
// as lowered and launched.
Trust rests_on(const Call& call, const LaunchSpec& spec, const LoweredCall& lowering, const Schedule& schedule);

}  // namespace fabricast::inline collectives
