#pragma once
// Pieces of messages as they arrive: an arrow for each flow of a packet replay, bright when one of its pieces arrives.

#include "sim/report/html/page.hpp"
#include "sim/report/report.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline report::html {

// Precondition: `traffic` has arrivals. The devices are drawn in a circle, at most as many as can be told apart there.
Scene pieces_of(const PacketTraffic& traffic, const Fabric& fabric);

}  // namespace fabricast::inline report::html
