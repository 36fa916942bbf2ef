#pragma once
// From a fabric and a schedule to rows and classes.

#include <span>

#include "sim/engines/common/fluid_network.hpp"

namespace fabricast {

// Finds classes and merges links. Throws Unreachable where a connection, an edge or a stage has no path.
Network make_fluid_network(const Fabric& fabric, const Schedule& schedule, std::span<const LinkEvent> events);

}  // namespace fabricast
