#include "sim/engines/common/link_event.hpp"

#include <numeric>
#include <set>

#include "topologies/detour.hpp"

namespace fabricast::inline engine_common {

std::vector<Outage> outages_of(std::span<const LinkEvent> events) {
    std::vector<std::uint32_t> order(events.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t e) { return events[e].at; });
    std::vector<Outage> outages;
    std::set<LinkId> down;
    for (const std::uint32_t e : order) {
        const bool changes = events[e].share <= 0 ? down.insert(events[e].link).second : down.erase(events[e].link) > 0;
        if (changes) { outages.push_back({e, {down.begin(), down.end()}}); }
    }
    return outages;
}

std::optional<PathQuery> way_round(const Fabric& fabric, const PathQuery& query, const Outage& outage) {
    return detour(fabric, query, [&](LinkId link) { return outage.is_down(link); });
}

}  // namespace fabricast::inline engine_common
