#pragma once
// One question, several ways to answer it: replay this Schedule on this Fabric.

#include <vector>

#include "sim/engines/common/link_event.hpp"
#include "sim/engines/common/schedule.hpp"
#include "sim/engines/common/timeline.hpp"
#include "sim/engines/common/watch.hpp"
#include "sim/engines/options.hpp"

namespace fabricast {

Timeline replay(const Engine& engine, const Fabric& fabric, const Schedule& schedule,
                const std::vector<LinkEvent>& events = {}, const Watch& watch = {});

}  // namespace fabricast
