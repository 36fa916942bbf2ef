#pragma once
// What the packet engine counted, for the result file.

#include <optional>
#include <string>
#include <vector>

#include "sim/io/json.hpp"
#include "sim/report/report.hpp"
#include "topologies/fabric.hpp"

namespace fabricast {

// Nothing where the timeline is another engine's.
std::optional<PacketTraffic> packet_traffic(Bytes size, const Timeline& timeline, const Fabric& fabric);

// A line for people for each row: what its packets went through.
std::string packet_lines(const std::vector<PacketTraffic>& packets);

// The `packets` of a result: SI base units in the names.
Json packets_json(const std::vector<PacketTraffic>& packets);
Json packets_schema();

}  // namespace fabricast
