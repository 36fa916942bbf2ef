#pragma once
// SimGrid as an independent reference: the same schedule on the same links, in a child process of its own.

#include "sim/engines/common/devices.hpp"
#include "sim/engines/common/timeline.hpp"
#include "sim/engines/common/watch.hpp"

namespace fabricast {

// Throws MissingEngine in a build without SimGrid.
Timeline replay_simgrid(const Fabric& fabric, const Schedule& schedule, const DeviceLimits& device, const Watch& watch);

}  // namespace fabricast
