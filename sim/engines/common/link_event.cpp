#include "sim/engines/common/link_event.hpp"

#include <numeric>

#include "topologies/detour.hpp"

namespace fabricast::inline engine_common {

std::vector<Outage> outages_of(std::span<const LinkEvent> events) {
    std::vector<std::uint32_t> order(events.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t e) { return events[e].at; });
    std::vector<Outage> outages;
    std::vector<LinkId> down;
    for (const std::uint32_t e : order) {
        const auto place = std::ranges::lower_bound(down, events[e].link);
        const bool was_down = place != down.end() && *place == events[e].link;
        const bool is_down = events[e].share <= 0;
        if (was_down == is_down) { continue; }
        if (is_down) {
            down.insert(place, events[e].link);
        } else {
            down.erase(place);
        }
        outages.push_back({e, down});
    }
    return outages;
}

std::optional<PathQuery> way_round(const Fabric& fabric, const PathQuery& query, const Outage& outage) {
    return detour(fabric, query, [&](LinkId link) { return outage.is_down(link); });
}

}  // namespace fabricast::inline engine_common
