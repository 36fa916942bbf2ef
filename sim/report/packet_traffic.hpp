#pragma once
// What the packet engine counted, for the result file.

#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "sim/report/report.hpp"
#include "topologies/fabric.hpp"

namespace fabricast {

// Nothing where the timeline is another engine's. `calls`: of a collective, the first operations that the timeline
// keeps are their ends.
std::optional<PacketTraffic> packet_traffic(Bytes size, const Timeline& timeline, const Fabric& fabric, int calls = 0);

// ", 3 calls back to back", as the replay of a collective holds them; empty where it holds one.
std::string calls_text(const PacketTraffic& traffic);

// ", call 2 of 3": the first that has not ended; empty where all have, and where there is one.
std::string call_at(const PacketTraffic& traffic, Time time);

// A line for people for each row: what its packets went through.
std::string packet_lines(const std::vector<PacketTraffic>& packets);

// The `packets` of a result: SI base units in the names.
Json packets_json(const std::vector<PacketTraffic>& packets);
Json packets_schema();

}  // namespace fabricast
