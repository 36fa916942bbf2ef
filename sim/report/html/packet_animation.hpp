#pragma once
// The packet engine's replay as an animation: what each link carried, queued and paused over time, which links were
// paused when, how the senders' rates changed, how the hash spread the flows, and the messages' pieces as they arrive.

#include <vector>

#include "sim/engines/common/link_event.hpp"
#include "sim/report/html/page.hpp"
#include "sim/report/report.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline report::html {

// Adds the sections for the row with the most pauses and drops, or for the largest size if there were none. Adds
// nothing if `packets` is empty; the animation needs `packet.series`. `events`: those of the run. `phases`: a training
// step's operations, of which each moment says which communication is under way.
void add_packet_animation(Page& page, const std::vector<PacketTraffic>& packets, const Fabric& fabric,
                          const std::vector<LinkEvent>& events, const std::vector<TraceSpan>& phases);

}  // namespace fabricast::inline report::html
