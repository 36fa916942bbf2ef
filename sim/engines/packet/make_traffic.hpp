#pragma once
// From a schedule to what the engine moves: flows and their packets' sizes, readers, controllers.

#include "sim/engines/packet/flows.hpp"

namespace fabricast::inline packet {

// Makes the flows of a schedule, and the network that they cross. Throws Unreachable, TooLarge.
Traffic make_traffic(const ReplayTask& task, const Packet& options);

}  // namespace fabricast::inline packet
