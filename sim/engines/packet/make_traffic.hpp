#pragma once
// Makes flows of packets from a schedule.

#include "sim/engines/packet/flows.hpp"

namespace fabricast::inline packet {

// Throws Unreachable.
Traffic make_traffic(const ReplayTask& task, const Packet& options);

}  // namespace fabricast::inline packet
