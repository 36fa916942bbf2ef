#pragma once
// The flow engine's core: fluid, event-driven, on a Network instead of a Fabric, so that a test can write a small
// Network by hand.

#include <vector>

#include "sim/engines/common/devices.hpp"
#include "sim/engines/common/fluid_network.hpp"
#include "sim/engines/common/timeline.hpp"
#include "sim/engines/common/watch.hpp"
#include "sim/engines/flow/options.hpp"
#include "sim/engines/flow/stuck.hpp"

namespace fabricast {

// `events` are those of the network's row_of_event, in the same order. Throws Stopped and Stuck.
Timeline replay_flow(const Network& network, const Schedule& schedule, const DeviceLimits& device, const Flow& options,
                     const std::vector<LinkEvent>& events, const Watch& watch);

}  // namespace fabricast
