#pragma once
// Why nothing moves: a cycle of ports, each with packets that wait for a buffer whose packets wait for the next port.

#include <string>
#include <vector>

#include "sim/engines/packet/worker.hpp"

namespace fabricast::inline packet {

// The ports of a cycle, each waiting for the next and the last for the first; empty if there is no such cycle.
std::vector<std::uint32_t> find_deadlock(const Shared& shared);

// "leaf0 -> leaf1 waits for leaf1 -> leaf2 waits for ..."; or links that lost packets for good, ports that hold packets
// and links that are down.
std::string describe_deadlock(const Shared& shared, const Fabric& fabric);

}  // namespace fabricast::inline packet
