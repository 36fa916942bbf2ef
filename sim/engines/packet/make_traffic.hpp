#pragma once
// Makes flows of packets from a schedule.

#include <vector>

#include "sim/engines/common/schedule.hpp"
#include "sim/engines/packet/flows.hpp"

namespace fabricast::inline packet {

// Throws Unreachable.
Traffic make_traffic(const Fabric& fabric, const Schedule& schedule, const Packet& options,
                     const std::vector<LinkEvent>& events);

}  // namespace fabricast::inline packet
