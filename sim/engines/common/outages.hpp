#pragma once
// Which links are down at which time, and the detours round them.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/engines/common/link_event.hpp"
#include "topologies/fabric.hpp"

namespace fabricast {

// From event `event` on, until the next Outage, exactly these links are down.
struct Outage {
    std::uint32_t event = 0;
    std::vector<LinkId> down;  // sorted
};

// One for each event that changes which links are down, in order of time; at equal times in order of the list.
std::vector<Outage> outages_of(std::span<const LinkEvent> events);

// The query's detour while these links are down; nullopt if its own path is intact, or if there is no other (its
// traffic then waits until the links are up).
std::optional<PathQuery> way_round(const Fabric& fabric, const PathQuery& query, const Outage& outage);

}  // namespace fabricast
