#pragma once
// From the fabric to ports, and to the routes of all flows.

#include <vector>

#include "sim/engines/packet/network.hpp"

namespace fabricast::packet {

// Finds every path once, and ways round links that events take down, and makes ports of the links used. `queries` get
// one route each, in order, those from `first_request` on as requests of reads; a path of no links has no hops. Throws
// Unreachable.
Network make_network(const Fabric& fabric, const Packet& options, const std::vector<PathQuery>& queries,
                     std::size_t first_request, const std::vector<LinkEvent>& events, std::vector<Route>& routes);

}  // namespace fabricast::packet
