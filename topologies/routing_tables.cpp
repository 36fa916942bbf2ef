#include "topologies/routing_tables.hpp"

#include <algorithm>
#include <numeric>

namespace fabricast::inline topologies {

namespace {

constexpr std::uint32_t unreached = 0xffffffff;

using Lists = std::vector<std::vector<std::uint32_t>>;

// Which links come into and leave each vertex, and how far each switch is from the nearest adapter.
struct Tiers {
    explicit Tiers(const SwitchedGraph& graph)
        : into(graph.forwarders + graph.ends), out(graph.forwarders), tier(graph.forwarders, unreached) {
        std::vector<std::uint32_t> queue;
        for (std::uint32_t l = 0; l < graph.links.size(); ++l) {
            const Trunk& link = graph.links[l];
            into[link.to].push_back(l);
            if (link.from < graph.forwarders) { out[link.from].push_back(l); }
            if (link.from >= graph.forwarders && tier[link.to] != 0) {
                tier[link.to] = 0;
                queue.push_back(link.to);
            }
        }
        for (std::size_t i = 0; i < queue.size(); ++i) {
            for (const std::uint32_t l : out[queue[i]]) {
                const std::uint32_t to = graph.links[l].to;
                if (to < graph.forwarders && tier[to] == unreached) {
                    tier[to] = tier[queue[i]] + 1;
                    queue.push_back(to);
                }
            }
        }
    }

    // Of two switches of a tier the later one counts as the upper, so that every cable has an upper end.
    bool goes_up(const Trunk& link) const {
        return tier[link.from] != tier[link.to] ? tier[link.from] < tier[link.to] : link.from < link.to;
    }

    Lists into, out;
    std::vector<std::uint32_t> tier;
};

class Router {
public:
    Router(GraphRouting routing, const SwitchedGraph& graph) : routing_(routing), graph_(graph), tiers_(graph) {
        if (routing == GraphRouting::fat_tree) { refuse_no_fat_tree(); }
    }

    std::uint32_t fill(std::vector<std::uint32_t>& next) {
        const std::uint32_t ends = graph_.ends;
        next.assign(std::size_t{graph_.forwarders} * ends, RoutingTables::no_link);
        load_.assign(graph_.links.size(), 0);
        // Leaf by leaf, as a subnet manager goes through them.
        std::vector<std::uint32_t> order(ends);
        std::iota(order.begin(), order.end(), 0U);
        std::ranges::stable_sort(order, {}, [&](std::uint32_t end) {
            const auto& into = tiers_.into[graph_.forwarders + end];
            return into.empty() ? graph_.forwarders : graph_.links[into.front()].from;
        });
        std::uint32_t longest = 0;
        for (std::uint32_t number = 0; number < ends; ++number) {
            const std::uint32_t end = order[number];
            measure(graph_.forwarders + end);
            for (std::uint32_t at = 0; at < graph_.forwarders; ++at) {
                if (hops_[at] == unreached) {
                    if (tiers_.tier[at] == 0) { refuse_no_way(at, end); }
                    continue;
                }
                next[std::size_t{at} * ends + end] = chosen(at, graph_.forwarders + end, number);
                longest = std::max(longest, hops_[at]);
            }
        }
        return longest + 1;
    }

private:
    std::string name(std::uint32_t vertex) const { return graph_.name(vertex); }

    void refuse_no_fat_tree() const {
        for (const Trunk& link : graph_.links) {
            if (link.from >= graph_.forwarders || link.to >= graph_.forwarders || link.resource) { continue; }
            const std::uint32_t a = tiers_.tier[link.from], b = tiers_.tier[link.to];
            if (a == unreached || b == unreached || (a + 1 != b && b + 1 != a)) {
                throw ClusterError(
                    "routing 'fat-tree' needs a tree of tiers, but the cable from {} to {} joins no two neighbouring "
                    "ones (accepted here: up-down, min-hop, ecmp)",
                    name(link.from), name(link.to));
            }
        }
    }

    [[noreturn]] void refuse_no_way(std::uint32_t at, std::uint32_t end) const {
        throw ClusterError("no way from {} to {}{}", name(at), name(graph_.forwarders + end),
                           routing_ == GraphRouting::min_hop
                               ? ""
                               : " goes up first and then only down (accepted here: min-hop, ecmp)");
    }

    // Hops of each switch to the adapter: the fewest, or by ways down if there are any, else up to where there are.
    void measure(std::uint32_t end) {
        hops_.assign(graph_.forwarders + graph_.ends, unreached);
        down_.assign(graph_.forwarders, false);
        hops_[end] = 0;
        std::vector<std::uint32_t> queue = {end};
        const bool free = routing_ == GraphRouting::min_hop;
        for (std::size_t i = 0; i < queue.size(); ++i) {
            for (const std::uint32_t l : tiers_.into[queue[i]]) {
                const Trunk& link = graph_.links[l];
                if (link.from >= graph_.forwarders || hops_[link.from] != unreached || link.resource) { continue; }
                if (!free && link.to < graph_.forwarders && tiers_.goes_up(link)) { continue; }
                hops_[link.from] = hops_[queue[i]] + 1;
                down_[link.from] = true;
                queue.push_back(link.from);
            }
        }
        if (free) { return; }
        // From the upper ones down: those below go up to the nearest from which there is a way.
        by_hops_.assign(1, {});
        for (const std::uint32_t at : queue) {
            if (at < graph_.forwarders) { put(at); }
        }
        for (std::size_t far = 0; far < by_hops_.size(); ++far) {
            for (std::size_t i = 0; i < by_hops_[far].size(); ++i) {
                const std::uint32_t at = by_hops_[far][i];
                if (hops_[at] != far) { continue; }
                for (const std::uint32_t l : tiers_.into[at]) {
                    const Trunk& link = graph_.links[l];
                    if (link.from < graph_.forwarders && !link.resource && tiers_.goes_up(link) && !down_[link.from] &&
                        hops_[link.from] > far + 1) {
                        hops_[link.from] = static_cast<std::uint32_t>(far) + 1;
                        put(link.from);
                    }
                }
            }
        }
    }

    void put(std::uint32_t at) {
        if (hops_[at] >= by_hops_.size()) { by_hops_.resize(hops_[at] + 1); }
        by_hops_[hops_[at]].push_back(at);
    }

    std::uint32_t chosen(std::uint32_t at, std::uint32_t end, std::uint32_t number) {
        std::vector<std::uint32_t> able;
        for (const std::uint32_t l : tiers_.out[at]) {
            const Trunk& link = graph_.links[l];
            if (link.resource || hops_[link.to] == unreached || hops_[link.to] + 1 != hops_[at]) { continue; }
            if (link.to >= graph_.forwarders && link.to != end) { continue; }
            const bool up = link.to < graph_.forwarders && tiers_.goes_up(link);
            if (routing_ == GraphRouting::min_hop || up != down_[at]) { able.push_back(l); }
        }
        if (routing_ == GraphRouting::fat_tree) { return able[digit(at, number) % able.size()]; }
        const auto least = std::ranges::min_element(
            able, {}, [&](std::uint32_t l) { return static_cast<double>(load_[l]) / graph_.links[l].cables; });
        ++load_[*least];
        return *least;
    }

    // The adapter's number without what the tiers below have used of it.
    std::uint32_t digit(std::uint32_t at, std::uint32_t number) const {
        for (std::uint32_t below = at; tiers_.tier[below] > 0;) {
            std::uint32_t ups = 0, lower = below;
            for (const std::uint32_t l : tiers_.into[below]) {
                const Trunk& link = graph_.links[l];
                if (link.from < graph_.forwarders && tiers_.tier[link.from] < tiers_.tier[below]) { lower = link.from; }
            }
            for (const std::uint32_t l : tiers_.out[lower]) {
                const Trunk& link = graph_.links[l];
                ups += link.to < graph_.forwarders && tiers_.goes_up(link) ? 1U : 0U;
            }
            if (lower == below) { break; }
            number /= std::max(1U, ups);
            below = lower;
        }
        return number;
    }

    const GraphRouting routing_;
    const SwitchedGraph& graph_;
    const Tiers tiers_;
    std::vector<std::uint32_t> hops_;  // to the adapter that is being routed
    std::vector<bool> down_;           // by ways that only go down
    Lists by_hops_;
    std::vector<std::uint32_t> load_;  // adapters that each link leads to
};

}  // namespace

RoutingTables::RoutingTables(GraphRouting routing, const SwitchedGraph& graph) : ends_(graph.ends) {
    longest_ = Router(routing, graph).fill(next_);
}

}  // namespace fabricast::inline topologies
