#pragma once
// From a schedule to flows of packets.

#include <vector>

#include "sim/engines/common/schedule.hpp"
#include "sim/engines/packet/flows.hpp"

namespace fabricast::packet {

// Throws Unreachable.
Traffic make_traffic(const Fabric& fabric, const Schedule& schedule, const Packet& options,
                     const std::vector<LinkEvent>& events);

}  // namespace fabricast::packet
