#pragma once
// A change during the replay: failure, degradation or repair; which links are then down, and the detours round them.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/units.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline engine_common {

inline constexpr DeviceId no_device{0xffffffff};

// From `at` on, the link keeps `share` of its capacity; at 0 it is down and traffic takes another path if there is one.
// If a device is named instead of a link, its kernels run at that share of their pace.
struct LinkEvent {
    Time at;
    LinkId link{};
    double share = 0;
    DeviceId device = no_device;

    bool of_device() const { return device != no_device; }
};

// From event `event` on, until the next Outage, exactly these links are down.
struct Outage {
    std::uint32_t event = 0;
    std::vector<LinkId> down;  // sorted

    bool is_down(LinkId link) const { return std::ranges::binary_search(down, link); }
};

// One for each event that changes which links are down, in order of time; at equal times in order of the list.
std::vector<Outage> outages_of(std::span<const LinkEvent> events);

// The query's detour while these links are down; nullopt if its own path is intact, or if there is no other (its
// traffic then waits until the links are up).
std::optional<PathQuery> way_round(const Fabric& fabric, const PathQuery& query, const Outage& outage);

}  // namespace fabricast::inline engine_common
