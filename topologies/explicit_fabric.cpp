#include "topologies/explicit_fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <utility>

#include "base/hash.hpp"
#include "base/text.hpp"

namespace fabricast::inline topologies {

namespace {

LinkClass class_between(LinkFamily family, bool at_nic) {
    return family == LinkFamily::nvlink ? LinkClass::nvlink
           : family == LinkFamily::pcie ? LinkClass::pcie
           : at_nic                     ? LinkClass::nic_port
                                        : LinkClass::leaf_spine;
}

}  // namespace

GraphRoutes::GraphRoutes(std::uint32_t forwarders, std::uint32_t ends, const std::vector<Trunk>& links)
    : forwarders_(forwarders), out_(forwarders + ends), into_end_(forwarders + ends) {
    for (std::uint32_t l = 0; l < links.size(); ++l) {
        to_.push_back(links[l].to);
        out_[links[l].from].push_back(l);
        if (links[l].from < forwarders_) { into_end_[links[l].to].push_back(links[l].from); }
    }
    measure(links);
}

void GraphRoutes::measure(const std::vector<Trunk>& links) {
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

// Number of links from `at` to `to`; ends other than `to` do not forward.
std::uint32_t GraphRoutes::hops(std::uint32_t at, std::uint32_t to) const {
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

std::uint32_t GraphRoutes::next_link(std::uint32_t at, std::uint32_t to, std::uint64_t flow_hash) const {
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

std::uint32_t GraphRoutes::longest_route() const {
    std::uint32_t longest = 0;
    for (const std::uint16_t h : hops_) { longest = h == unreachable ? longest : std::max<std::uint32_t>(longest, h); }
    return longest + 2;
}

// Vertex of a device of the graph, or of the NIC "nodeN.nicM"; NICs are numbered after the devices.
std::uint32_t ExplicitFabric::vertex(const Cluster& cluster, const std::string& name) const {
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

ExplicitFabric::ExplicitFabric(const Cluster& cluster) : devices_(cluster.graph.devices), nics_(cluster.node.nics) {
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

std::optional<std::uint32_t> ExplicitFabric::find_switch(std::string_view name) const {
    const auto found = number_of_.find(name);
    return found == number_of_.end() ? std::nullopt : std::optional(found->second);
}

void ExplicitFabric::cross(std::uint32_t resource, TrunkRoute& route) const {
    if (resource != none) { route.add(resource, {}); }
}

bool ExplicitFabric::route(FabricEnd from, FabricEnd to, std::uint32_t, std::uint64_t flow_hash,
                           TrunkRoute& route) const {
    const std::uint32_t first = switch_count();
    return routes_->route(first + from.node * nics_ + from.nic, first + to.node * nics_ + to.nic, flow_hash,
                          tables_ ? &*tables_ : nullptr, [&](std::uint32_t link) {
                              route.add(link, trunks_[link].info.latency);
                              cross(of_cable_[link / 2], route);
                              if (trunks_[link].to < first) { cross(of_device_[trunks_[link].to], route); }
                          });
}

std::uint32_t ExplicitFabric::longest_route() const {
    const bool resources = trunks_.size() > 2 * of_cable_.size();
    const std::uint32_t longest = std::max(routes_->longest_route(), tables_ ? tables_->longest_route() : 0);
    return longest * (resources ? 3 : 1);
}

std::vector<FabricTier> ExplicitFabric::tiers() const {
    std::uint64_t cables = 0;
    for (std::size_t c = 0; c < of_cable_.size(); ++c) {
        const Trunk& trunk = trunks_[2 * c];
        cables += trunk.from < switch_count() && trunk.to < switch_count() ? trunk.cables : 0;
    }
    return {{"switch", devices_.size(), cables}};
}

}  // namespace fabricast::inline topologies
