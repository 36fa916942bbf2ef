#pragma once
// The packet engine: replays a Schedule on a Fabric packet by packet.

#include "sim/engines/common/devices.hpp"
#include "sim/engines/common/link_event.hpp"
#include "sim/engines/common/timeline.hpp"
#include "sim/engines/common/watch.hpp"
#include "sim/engines/packet/options.hpp"

namespace fabricast {

// The result depends only on the arguments, and not on options.threads. Throws Stopped, Unreachable, and CannotEnd with
// the cycle of ports whose buffers wait for each other.
Timeline replay_packets(const Fabric& fabric, const Schedule& schedule, const DeviceLimits& device,
                        const Packet& options, const std::vector<LinkEvent>& events, const Watch& watch);

}  // namespace fabricast
