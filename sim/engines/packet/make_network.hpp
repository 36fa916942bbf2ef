#pragma once
// Makes the ports and the routes of all flows from the fabric.

#include <vector>

#include "sim/engines/packet/network.hpp"

namespace fabricast::inline packet {

// Finds every path once, and detours round links that events take down, and makes ports of the links in use. Each query
// gets a route; those from `first_request` on are requests. A path without links has no hops. What its ports do with
// packets is set later (set_policies). Throws Unreachable.
Network make_network(const ReplayTask& task, const Packet& options, const std::vector<PathQuery>& queries,
                     std::size_t first_request, std::vector<Route>& routes);

}  // namespace fabricast::inline packet
