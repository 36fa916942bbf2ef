#include "sim/engines/packet/routes.hpp"

#include <algorithm>

#include "sim/engines/common/link_event.hpp"

namespace fabricast::inline packet {

namespace {

void append(Routes& routes, std::span<const LinkId> path) {
    routes.links.insert(routes.links.end(), path.begin(), path.end());
    routes.ways_end.push_back(routes.links.size());
}

// All ways of a flow have as many links as its first way, and the same first and last link.
void add_way(Routes& routes, std::uint32_t first, std::span<const LinkId> path) {
    for (std::uint32_t w = first; w < routes.count(); ++w) {
        const std::span<const LinkId> other = routes.links_of(w);
        if (std::ranges::equal(other, path) || other.size() != path.size() || other.front() != path.front() ||
            other.back() != path.back()) {
            return;
        }
    }
    append(routes, path);
}

// Several ways only if the engine may choose among them: tries flow labels until enough distinct paths are found.
Routes own_ways(const ReplayTask& task, const Packet& options, const std::vector<PathQuery>& queries) {
    const int most = task.events.empty() ? 32 : 31;  // leaves one number for a detour
    const int wanted = std::clamp(options.routing == PacketRouting::ecmp ? options.qps : options.paths, 1, most);
    Routes routes;
    Path path;
    for (const PathQuery& query : queries) {
        const std::uint32_t first = routes.count();
        PathQuery labelled = query;
        for (int label = 0; label < (wanted == 1 ? 1 : 4 * wanted); ++label) {
            labelled.flow_label = query.flow_label + static_cast<std::uint32_t>(label) * 0x9e3779b9U;
            task.fabric.path(labelled, path);
            add_way(routes, first, path.span());
            const int found = static_cast<int>(routes.count() - first);
            const bool fixed = label == 23 && found == 1;  // of two ways, one in 2^23 flows would miss the other
            if (found == wanted || fixed) { break; }
        }
        routes.variants_end.push_back(routes.count());
    }
    return routes;
}

std::uint32_t whole_ways(const Routes& routes, std::uint32_t query, const Outage& outage) {
    std::uint32_t whole = 0;
    for (std::uint32_t w = routes.begin_of(query); w < routes.variants_end[query]; ++w) {
        const bool down = std::ranges::any_of(routes.links_of(w), [&](LinkId link) { return outage.is_down(link); });
        whole |= down ? 0 : 1U << (w - routes.begin_of(query));
    }
    return whole;
}

// For each outage: which of a flow's ways are intact, or a detour if none is. Detours are numbered flow by flow.
void go_round(Routes& routes, const ReplayTask& task, const std::vector<PathQuery>& queries) {
    const std::vector<Outage> outages = outages_of(task.events);
    for (const Outage& outage : outages) {
        routes.epochs.push_back({task.events[outage.event].at.ps, std::vector<std::uint32_t>(queries.size(), 0)});
    }
    bool any = false;
    for (std::uint32_t query = 0; query < queries.size() && !outages.empty(); ++query) {
        const std::uint32_t variants = routes.variants_end[query] - routes.begin_of(query);
        std::uint32_t number = variants;
        for (std::size_t o = 0; o < outages.size(); ++o) {
            std::uint32_t& ways = routes.epochs[o].ways[query];
            ways = whole_ways(routes, query, outages[o]);
            if (ways == (std::uint64_t{1} << variants) - 1) {
                ways = 0;
            } else if (ways == 0 && number <= Frame::variant_mask) {
                if (const auto other = way_round(task.fabric, queries[query], outages[o])) {
                    routes.detours.emplace_back(query, routes.count());
                    const Path path = task.fabric.path(*other);
                    append(routes, path.span());
                    ways = Epoch::only | number++;
                }
            }
            any |= ways != 0;
        }
    }
    if (!any) { routes.epochs.clear(); }
}

}  // namespace

Routes find_ways(const ReplayTask& task, const Packet& options, const std::vector<PathQuery>& queries) {
    Routes routes = own_ways(task, options, queries);
    go_round(routes, task, queries);
    return routes;
}

}  // namespace fabricast::inline packet
