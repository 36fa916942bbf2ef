#pragma once
// What the links carried in a replay.

#include <string>

#include "sim/report/report.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline report {

LinkTraffic link_traffic(std::string row, const Timeline& timeline, const Fabric& fabric);

// "node0.gpu3 -> node0.nvswitch 97 %": the busiest link if it is busy for at least `least` of the time, else empty.
std::string busiest_text(const Timeline& timeline, const Fabric& fabric, double least);

}  // namespace fabricast::inline report
