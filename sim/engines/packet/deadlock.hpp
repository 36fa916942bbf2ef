#pragma once
// Why nothing moves any more: ports whose packets wait for a buffer whose packets wait for ports ... and round again.

#include <string>
#include <vector>

#include "sim/engines/packet/worker.hpp"

namespace fabricast::packet {

// Ports in the order of waiting, the last for the first; empty where no such cycle holds the traffic up.
std::vector<std::uint32_t> find_deadlock(const Shared& shared);

// "leaf0 -> leaf1 waits for leaf1 -> leaf2 waits for ..."; where no cycle is found, the ports that hold packets.
std::string describe_standstill(const Shared& shared, const Fabric& fabric);

}  // namespace fabricast::packet
