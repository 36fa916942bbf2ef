#pragma once
// Replays a Schedule on a Fabric with any of the engines.

#include <vector>

#include "sim/engines/common/link_event.hpp"
#include "sim/engines/common/schedule.hpp"
#include "sim/engines/common/timeline.hpp"
#include "sim/engines/common/watch.hpp"
#include "sim/engines/engines.hpp"

namespace fabricast {

Timeline replay(const Engine& engine, const Fabric& fabric, const Schedule& schedule,
                const std::vector<LinkEvent>& events = {}, const Watch& watch = {});

}  // namespace fabricast
