#pragma once
// The packet engine's replay as a film: what each link carried, queued and paused in each moment, who paused whom when,
// how senders' rates went, how the hash spread the flows, and the pieces on their way.

#include <vector>

#include "sim/engines/common/link_event.hpp"
#include "sim/report/html/page.hpp"
#include "sim/report/report.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::html {

// Of the row with the most trouble, else the largest. Nothing without packets; films need `packet.series`. `events` say
// what was left of links.
void add_packet_animation(Page& page, const std::vector<PacketTraffic>& packets, const Fabric& fabric,
                          const std::vector<LinkEvent>& events);

}  // namespace fabricast::html
