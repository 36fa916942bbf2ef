#pragma once
// Shortest routes over an explicit list of links: fewest hops, and among equal routes the flow's hash decides at every
// switch (ECMP). Ends (NICs, GPUs) send and receive; only the other vertices forward.

#include <cstdint>
#include <vector>

namespace fabricast::inline topologies {

struct GraphLink {
    std::uint32_t from = 0, to = 0;
};

class GraphRoutes {
public:
    // Vertices 0 .. forwarders - 1 forward; the next `ends` vertices do not. Links are directed. Stores the hop counts
    // between all forwarders: two bytes per pair.
    GraphRoutes(std::uint32_t forwarders, std::uint32_t ends, const std::vector<GraphLink>& links);

    // Calls take(index of link) for each link of the route, in order; false if there is no route.
    template <class Take> bool route(std::uint32_t from, std::uint32_t to, std::uint64_t flow_hash, Take&& take) const {
        for (std::uint32_t at = from; at != to;) {
            const std::uint32_t link = next_link(at, to, flow_hash);
            if (link == no_link) { return false; }
            take(link);
            at = links_[link].to;
        }
        return true;
    }

    // Upper bound on the links of a route.
    std::uint32_t longest_route() const;

private:
    static constexpr std::uint32_t no_link = 0xffffffff;
    static constexpr std::uint16_t unreachable = 0xffff;

    std::uint32_t next_link(std::uint32_t at, std::uint32_t to, std::uint64_t flow_hash) const;
    std::uint32_t hops(std::uint32_t at, std::uint32_t to) const;
    void measure();

    std::uint32_t forwarders_ = 0;
    std::vector<GraphLink> links_;
    std::vector<std::vector<std::uint32_t>> out_;       // links from each vertex
    std::vector<std::vector<std::uint32_t>> into_end_;  // forwarders with a link to each vertex
    std::vector<std::uint16_t> hops_;                   // between forwarders
};

}  // namespace fabricast::inline topologies
