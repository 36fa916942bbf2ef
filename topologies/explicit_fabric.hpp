#pragma once
// A fabric given as an explicit graph of named switches and cables; all nodes still share one template. Cables end at
// "node0.nic1" or at a device of the graph; a NIC may have several. Parallel cables written with a count are one link;
// other parallel cables are chosen by hash, even with adaptive routing.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/cluster.hpp"
#include "topologies/fabric_generator.hpp"
#include "topologies/routing_tables.hpp"

namespace fabricast::inline topologies {

// Shortest routes over a list of trunks: fewest hops, and among equal routes the flow's hash decides at every switch
// (ECMP). Ends (NICs) send and receive; only the other vertices forward.
class GraphRoutes {
public:
    // Vertices 0 .. forwarders - 1 forward; the next `ends` vertices do not. Links are directed. Stores the hop counts
    // between all forwarders: two bytes per pair.
    GraphRoutes(std::uint32_t forwarders, std::uint32_t ends, const std::vector<Trunk>& links);

    // Calls take(index of link) for each link of the route, in order; false if there is none. By `tables`, if any.
    template <class Take>
    bool route(std::uint32_t from, std::uint32_t to, std::uint64_t flow_hash, const RoutingTables* tables,
               Take&& take) const {
        for (std::uint32_t at = from; at != to;) {
            const bool by_table = tables != nullptr && at < forwarders_;
            const std::uint32_t link =
                by_table ? tables->next_link(at, to - forwarders_) : next_link(at, to, flow_hash);
            if (link == no_link) { return false; }
            take(link);
            at = to_[link];
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
    void measure(const std::vector<Trunk>& links);

    std::uint32_t forwarders_ = 0;
    std::vector<std::uint32_t> to_;                     // where each link ends
    std::vector<std::vector<std::uint32_t>> out_;       // links from each vertex
    std::vector<std::vector<std::uint32_t>> into_end_;  // forwarders with a link to each vertex
    std::vector<std::uint16_t> hops_;                   // between forwarders
};

class ExplicitFabric : public FabricGenerator {
public:
    // Throws ClusterError if a cable ends at an unknown device or where it starts, or if two devices share a name.
    explicit ExplicitFabric(const Cluster& cluster);

    std::uint32_t switch_count() const override { return static_cast<std::uint32_t>(devices_.size()); }
    std::uint32_t trunk_count() const override { return static_cast<std::uint32_t>(trunks_.size()); }
    std::uint32_t planes() const override { return 0; }  // the cables of NICs are trunks too
    std::uint32_t switch_of(FabricEnd, std::uint32_t) const override { return 0; }
    Trunk trunk(std::uint32_t index) const override { return trunks_[index]; }
    std::string switch_name(std::uint32_t index) const override { return devices_[index].name; }
    std::optional<std::uint32_t> find_switch(std::string_view name) const override;
    bool route(FabricEnd from, FabricEnd to, std::uint32_t plane, std::uint64_t flow_hash,
               TrunkRoute& route) const override;
    std::uint32_t longest_route() const override;
    bool by_tray() const override { return false; }
    std::vector<FabricTier> tiers() const override;

private:
    std::uint32_t vertex(const Cluster& cluster, const std::string& name) const;
    void cross(std::uint32_t resource, TrunkRoute& route) const;

    static constexpr std::uint32_t none = 0xffffffff;
    std::vector<NodeDevice> devices_;
    std::map<std::string, std::uint32_t, std::less<>> number_of_;  // a device by its name
    std::uint32_t nics_ = 0;
    std::vector<Trunk> trunks_;                        // both directions of each cable, then the shared resources
    std::vector<std::uint32_t> of_device_, of_cable_;  // index of the shared resource, or `none`
    std::optional<GraphRoutes> routes_;
    std::optional<RoutingTables> tables_;  // none: by the flow's hash
};

}  // namespace fabricast::inline topologies
