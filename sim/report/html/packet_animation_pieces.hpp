#pragma once
// Pieces on their way: an arrow for each flow of a packet replay, bright when one of its pieces comes.

#include "sim/report/html/page.hpp"
#include "sim/report/report.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::html {

// Of traffic with arrivals. The devices stand in a circle, as many as are told apart there.
Scene pieces_of(const PacketTraffic& traffic, const Fabric& fabric);

}  // namespace fabricast::html
