#pragma once
// What every engine is given to replay. An engine is a struct of options with `traits` (engine_traits.hpp) and a
// function
//     Timeline replay_task(const Options&, const ReplayTask&);

#include <vector>

#include "sim/engines/common/devices.hpp"
#include "sim/engines/common/link_event.hpp"
#include "sim/engines/common/schedule.hpp"
#include "sim/engines/common/timeline.hpp"
#include "sim/engines/common/watch.hpp"

namespace fabricast {

struct ReplayTask {
    const Fabric& fabric;
    const Schedule& schedule;
    DeviceLimits device;            // with the pace of slow devices over time
    std::vector<LinkEvent> events;  // of links only
    const Watch& watch;
};

}  // namespace fabricast
