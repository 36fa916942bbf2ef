#pragma once
// Every operation at the rate that it has alone on the network: exact where nothing contends, one pass over the
// schedule.

#include "sim/engines/devices.hpp"
#include "sim/engines/flow/network.hpp"
#include "sim/timeline.hpp"

namespace fabricast {

Timeline replay_analytic(const Network& network, const Schedule& schedule, const DeviceLimits& device);

}  // namespace fabricast
