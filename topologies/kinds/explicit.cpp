// A fabric given as an explicit graph of named switches and cables; all nodes still share one template. Cables end at
// "node0.nic1" or at a device of the graph; a NIC may have several. Parallel cables written with a count are one link;
// other parallel cables are chosen by hash, even with adaptive routing.

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "topologies/cluster.hpp"
#include "topologies/fabric_generator.hpp"
#include "topologies/routing_tables.hpp"

namespace fabricast::inline topologies {

namespace {

LinkClass class_between(LinkFamily family, bool at_nic) {
    return family == LinkFamily::nvlink ? LinkClass::nvlink
           : family == LinkFamily::pcie ? LinkClass::pcie
           : at_nic                     ? LinkClass::nic_port
                                        : LinkClass::leaf_spine;
}

// Shortest routes over a list of trunks: fewest hops, and among equal routes the flow's hash decides at every switch
// (ECMP). Ends (NICs) send and receive; only the other vertices forward.
class GraphRoutes {
public:
    // Vertices 0 .. forwarders - 1 forward; the next `ends` vertices do not. Links are directed. Stores the hop counts
    // between all forwarders: two bytes per pair.
    GraphRoutes(std::uint32_t forwarders, std::uint32_t ends, const std::vector<Trunk>& links)
        : forwarders_(forwarders), out_(forwarders + ends), into_end_(forwarders + ends) {
        for (std::uint32_t l = 0; l < links.size(); ++l) {
            to_.push_back(links[l].to);
            out_[links[l].from].push_back(l);
            if (links[l].from < forwarders_) { into_end_[links[l].to].push_back(links[l].from); }
        }
        measure(links);
    }

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
    std::uint32_t longest_route() const {
        std::uint32_t longest = 0;
        for (const std::uint16_t h : hops_) {
            longest = h == unreachable ? longest : std::max<std::uint32_t>(longest, h);
        }
        return longest + 2;
    }

private:
    static constexpr std::uint32_t no_link = 0xffffffff;
    static constexpr std::uint16_t unreachable = 0xffff;

    std::uint32_t next_link(std::uint32_t at, std::uint32_t to, std::uint64_t flow_hash) const {
        std::uint32_t least = unreachable;
        std::uint32_t equal = 0;
        for (const std::uint32_t link : out_[at]) {
            const std::uint32_t left = hops(to_[link], to);
            equal = left < least ? 1 : equal + (left == least && left != unreachable ? 1 : 0);
            least = std::min(least, left);
        }
        if (least == unreachable) { return no_link; }
        std::uint32_t chosen = pick(flow_hash, at, equal);
        for (const std::uint32_t link : out_[at]) {
            if (hops(to_[link], to) == least && chosen-- == 0) { return link; }
        }
        return no_link;
    }
    // Number of links from `at` to `to`; ends other than `to` do not forward.
    std::uint32_t hops(std::uint32_t at, std::uint32_t to) const {
        if (at == to) { return 0; }
        if (at >= forwarders_) { return unreachable; }
        const std::uint16_t* row = &hops_[static_cast<std::size_t>(at) * forwarders_];
        if (to < forwarders_) { return row[to]; }
        std::uint32_t least = unreachable;
        for (const std::uint32_t last : into_end_[to]) {
            least = std::min<std::uint32_t>(least, row[last] == unreachable ? unreachable : row[last] + 1U);
        }
        return least;
    }
    void measure(const std::vector<Trunk>& links) {
        boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> graph(forwarders_);
        for (const Trunk& link : links) {
            if (link.from < forwarders_ && link.to < forwarders_) { boost::add_edge(link.from, link.to, graph); }
        }
        hops_.assign(static_cast<std::size_t>(forwarders_) * forwarders_, unreachable);
        for (std::uint32_t source = 0; source < forwarders_; ++source) {
            std::uint16_t* row = &hops_[static_cast<std::size_t>(source) * forwarders_];
            row[source] = 0;
            const auto count = boost::record_distances(row, boost::on_tree_edge());
            boost::breadth_first_search(graph, source, boost::visitor(boost::make_bfs_visitor(count)));
        }
    }

    std::uint32_t forwarders_ = 0;
    std::vector<std::uint32_t> to_;                     // where each link ends
    std::vector<std::vector<std::uint32_t>> out_;       // links from each vertex
    std::vector<std::vector<std::uint32_t>> into_end_;  // forwarders with a link to each vertex
    std::vector<std::uint16_t> hops_;                   // between forwarders
};

class ExplicitFabric : public FabricGenerator {
public:
    // Throws ClusterError if a cable ends at an unknown device or where it starts, or if two devices share a name.
    explicit ExplicitFabric(const Cluster& cluster) : devices_(cluster.graph.devices), nics_(cluster.node.nics) {
        for (const NodeDevice& device : devices_) {
            if (!number_of_.emplace(device.name, number_of_.size()).second) {
                throw ClusterError("two devices of the graph are called '{}'", device.name);
            }
        }
        const std::uint32_t switches = switch_count();
        std::vector<Duration> nic_latency(nics_);
        for (const NodeDevice& device : cluster.node.devices) {
            if (const auto nic = number_after(device.name, "nic"); nic && *nic < nics_) {
                nic_latency[*nic] = device.latency;
            }
        }
        const auto latency_behind = [&](std::uint32_t v) {
            return v < switches ? devices_[v].latency : nic_latency[(v - switches) % nics_];
        };
        for (const NodeCable& cable : cluster.graph.cables) {
            std::uint32_t a = vertex(cluster, cable.a);
            std::uint32_t b = vertex(cluster, cable.b);
            if (a == b) { throw ClusterError("a cable of the graph joins '{}' to itself", cable.a); }
            for (int direction = 0; direction < 2; ++direction) {
                Trunk trunk{.from = a, .to = b, .cables = static_cast<std::uint32_t>(cable.count), .info = {}};
                trunk.info.capacity = goodput(cable.link) * cable.count;
                trunk.info.latency = cable.link.latency + latency_behind(b);
                trunk.info.cls = class_between(cable.link.family, a >= switches || b >= switches);
                trunks_.push_back(trunk);
                std::swap(a, b);
            }
        }
        routes_.emplace(switches, cluster.nodes * nics_, trunks_);
        if (cluster.fabric.routing != GraphRouting::ecmp) {
            const auto name = [&](std::uint32_t v) {
                return v < switches ? devices_[v].name
                                    : fmt::format("node{}.nic{}", (v - switches) / nics_, (v - switches) % nics_);
            };
            tables_.emplace(cluster.fabric.routing, SwitchedGraph{switches, cluster.nodes * nics_, trunks_, name});
        }
        of_device_.assign(switches, none);
        of_cable_.assign(cluster.graph.cables.size(), none);
        const auto add_resource = [&](std::uint32_t from, std::uint32_t to, double capacity) {
            trunks_.push_back(
                {.from = from, .to = to, .cables = 1, .info = {capacity, {}, LinkClass::other}, .resource = true});
            return trunk_count() - 1;
        };
        for (std::uint32_t d = 0; d < switches; ++d) {
            if (devices_[d].duplex_capacity > 0) { of_device_[d] = add_resource(d, d, devices_[d].duplex_capacity); }
        }
        for (std::size_t c = 0; c < of_cable_.size(); ++c) {
            if (cluster.graph.cables[c].duplex_capacity > 0) {
                of_cable_[c] =
                    add_resource(trunks_[2 * c].from, trunks_[2 * c].to, cluster.graph.cables[c].duplex_capacity);
            }
        }
    }

    std::uint32_t switch_count() const override { return static_cast<std::uint32_t>(devices_.size()); }
    std::uint32_t trunk_count() const override { return static_cast<std::uint32_t>(trunks_.size()); }
    std::uint32_t planes() const override { return 0; }
    std::uint32_t switch_of(FabricEnd, std::uint32_t) const override { return 0; }
    Trunk trunk(std::uint32_t index) const override { return trunks_[index]; }
    std::string switch_name(std::uint32_t index) const override { return devices_[index].name; }
    std::optional<std::uint32_t> find_switch(std::string_view name) const override {
        const auto found = number_of_.find(name);
        return found == number_of_.end() ? std::nullopt : std::optional(found->second);
    }
    bool route(FabricEnd from, FabricEnd to, std::uint32_t, std::uint64_t flow_hash, TrunkRoute& route) const override {
        const std::uint32_t first = switch_count();
        return routes_->route(first + from.node * nics_ + from.nic, first + to.node * nics_ + to.nic, flow_hash,
                              tables_ ? &*tables_ : nullptr, [&](std::uint32_t link) {
                                  route.add(link, trunks_[link].info.latency);
                                  cross(of_cable_[link / 2], route);
                                  if (trunks_[link].to < first) { cross(of_device_[trunks_[link].to], route); }
                              });
    }
    std::uint32_t longest_route() const override {
        const bool resources = trunks_.size() > 2 * of_cable_.size();
        const std::uint32_t longest = std::max(routes_->longest_route(), tables_ ? tables_->longest_route() : 0);
        return longest * (resources ? 3 : 1);
    }
    bool by_tray() const override { return false; }
    std::vector<FabricTier> tiers() const override {
        std::uint64_t cables = 0;
        for (std::size_t c = 0; c < of_cable_.size(); ++c) {
            const Trunk& trunk = trunks_[2 * c];
            cables += trunk.from < switch_count() && trunk.to < switch_count() ? trunk.cables : 0;
        }
        return {{"switch", devices_.size(), cables}};
    }

private:
    // Vertex of a device of the graph, or of the NIC "nodeN.nicM"; NICs are numbered after the devices.
    std::uint32_t vertex(const Cluster& cluster, const std::string& name) const {
        if (const auto device = find_switch(name)) { return *device; }
        const std::size_t dot = name.find('.');
        if (dot != std::string::npos) {
            const auto node = number_after(std::string_view(name).substr(0, dot), "node");
            const auto nic = number_after(std::string_view(name).substr(dot + 1), "nic");
            if (node && nic && *node < cluster.nodes && *nic < nics_) { return switch_count() + *node * nics_ + *nic; }
        }
        throw ClusterError("a cable of the graph ends at '{}', which is neither a device of it nor a NIC{}", name,
                           did_you_mean(name, names_of(devices_, &NodeDevice::name), " (node0.nic0)"));
    }
    void cross(std::uint32_t resource, TrunkRoute& route) const {
        if (resource != none) { route.add(resource, {}); }
    }

    static constexpr std::uint32_t none = 0xffffffff;
    std::vector<NodeDevice> devices_;
    std::map<std::string, std::uint32_t, std::less<>> number_of_;  // a device by its name
    std::uint32_t nics_ = 0;
    std::vector<Trunk> trunks_;                        // both directions of each cable, then the shared resources
    std::vector<std::uint32_t> of_device_, of_cable_;  // index of the shared resource, or `none`
    std::optional<GraphRoutes> routes_;
    std::optional<RoutingTables> tables_;  // none: by the flow's hash
};

}  // namespace

std::unique_ptr<const FabricGenerator> make_explicit(const Cluster& cluster) {
    return std::make_unique<ExplicitFabric>(cluster);
}

}  // namespace fabricast::inline topologies
