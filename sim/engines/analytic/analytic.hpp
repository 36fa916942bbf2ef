#pragma once
// Replays every operation at the rate that it would have alone on the network: exact if nothing contends, and one pass
// over the schedule.

#include "sim/engines/common/devices.hpp"
#include "sim/engines/common/fluid_network.hpp"
#include "sim/engines/common/timeline.hpp"

namespace fabricast {

Timeline replay_analytic(const Network& network, const Schedule& schedule, const DeviceLimits& device);

}  // namespace fabricast
