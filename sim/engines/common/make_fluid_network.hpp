#pragma once
// Makes the rows and classes of a fabric and a schedule.

#include <span>

#include "sim/engines/common/fluid_network.hpp"

namespace fabricast::inline engine_common {

// Finds classes and merges links. Throws Unreachable if a connection, an edge or a stage has no path.
Network make_fluid_network(const Fabric& fabric, const Schedule& schedule, std::span<const LinkEvent> events);

}  // namespace fabricast::inline engine_common
