#include "topologies/fabric.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "topologies/drawn_nodes.hpp"
#include "topologies/fabric_tables.hpp"
#include "topologies/switch_routes.hpp"

namespace fabricast {

Fabric::Fabric(Cluster cluster) {
    if (cluster.fabric.kind == FabricKind::explicit_graph) {
        cluster =
            cluster.node.gpus == 0 ? fold_drawn_nodes(std::move(cluster)) : without_loose_nics(std::move(cluster));
    }
    tables_ = std::make_shared<const Tables>(std::move(cluster));
}
Fabric::~Fabric() = default;
Fabric::Fabric(const Fabric&) = default;
Fabric::Fabric(Fabric&&) noexcept = default;

const Cluster& Fabric::cluster() const { return tables_->cluster; }
const NodeTemplate& Fabric::node() const { return tables_->cluster.node; }
std::uint32_t Fabric::node_count() const { return tables_->cluster.nodes; }
std::uint32_t Fabric::gpus_per_node() const { return tables_->cluster.node.gpus; }
std::uint32_t Fabric::nics_per_node() const { return tables_->cluster.node.nics; }
std::uint32_t Fabric::gpu_count() const { return node_count() * gpus_per_node(); }

DeviceId Fabric::gpu(std::uint32_t rank) const {
    assert(rank < gpu_count());
    const std::uint32_t g = gpus_per_node();
    return DeviceId{rank / g * tables_->devices + rank % g};
}

DeviceId Fabric::nic(std::uint32_t node, std::uint32_t nic) const {
    assert(node < node_count() && nic < nics_per_node());
    return DeviceId{node * tables_->devices + gpus_per_node() + nic};
}

DeviceId Fabric::nvswitch(std::uint32_t node, std::uint32_t which) const {
    const auto& devices = tables_->graph.devices;
    for (std::uint32_t d = 0; d < devices.size(); ++d) {
        if (devices[d].kind == DeviceKind::nvswitch && devices[d].index == which) {
            return DeviceId{node * tables_->devices + d};
        }
    }
    throw ClusterError("node '" + this->node().name + "' has no NVSwitch " + std::to_string(which));
}

DeviceKind Fabric::kind(DeviceId device) const {
    return tables_->is_switch(device) ? DeviceKind::fabric_switch : tables_->graph.devices[tables_->local(device)].kind;
}

std::uint32_t Fabric::node_of(DeviceId device) const {
    assert(!tables_->is_switch(device));
    return tables_->node_of(device);
}

std::uint32_t Fabric::local_index(DeviceId device) const {
    return tables_->is_switch(device) ? index(device) - tables_->first_switch
                                      : tables_->graph.devices[tables_->local(device)].index;
}

std::uint32_t Fabric::device_count() const {
    return tables_->first_switch + tables_->visit([](const auto& s) { return s.switch_count(); });
}

std::uint16_t Fabric::nearest_nic(std::uint32_t local_gpu) const { return tables_->graph.nearest_nic.at(local_gpu); }

std::span<const std::uint16_t> Fabric::near_nics(std::uint32_t local_gpu) const {
    return tables_->graph.near_nics.at(local_gpu);
}

std::uint32_t Fabric::link_count() const {
    return tables_->first_trunk + tables_->visit([](const auto& s) { return s.trunk_count(); });
}

std::uint32_t Fabric::node_device_count() const { return tables_->devices; }
std::uint32_t Fabric::node_link_count() const { return tables_->links; }

LinkInfo Fabric::link(LinkId id) const {
    const Tables& t = *tables_;
    assert(index(id) < link_count());
    if (index(id) >= t.first_trunk) {
        return t.visit([&](const auto& s) { return s.trunk(index(id) - t.first_trunk).info; });
    }
    const std::uint32_t local = index(id) % t.links;
    if (local < t.first_port) {
        return t.graph.links[local].info;
    }
    LinkInfo info = t.port;
    if ((local - t.first_port) % 2 == 1) {
        info.latency = t.cluster.fabric.link.latency +
                       t.graph.devices[t.graph.gpus + (local - t.first_port) / 2 / t.planes].latency;
    }
    return info;
}

LinkEnds Fabric::ends(LinkId id) const {
    const Tables& t = *tables_;
    assert(index(id) < link_count());
    if (index(id) >= t.first_trunk) {
        const Trunk trunk = t.visit([&](const auto& s) { return s.trunk(index(id) - t.first_trunk); });
        return {t.fabric_device(trunk.from), t.fabric_device(trunk.to), trunk.cables, trunk.resource};
    }
    const std::uint32_t node = index(id) / t.links;
    const std::uint32_t local = index(id) % t.links;
    if (local < t.first_port) {
        const LocalLink& link = t.graph.links[local];
        return {DeviceId{node * t.devices + link.from}, DeviceId{node * t.devices + link.to},
                static_cast<std::uint32_t>(link.cables), link.resource};
    }
    const std::uint32_t port = (local - t.first_port) / 2;
    const FabricEnd end{node, port / t.planes};
    const std::uint32_t sw = t.switch_of(end, port % t.planes);
    LinkEnds ends{nic(node, end.nic), DeviceId{t.first_switch + sw},
                  static_cast<std::uint32_t>(std::max(t.cluster.node.nic_ports, 1)), false};
    if ((local - t.first_port) % 2 == 1) {
        std::swap(ends.from, ends.to);
    }
    return ends;
}

std::vector<FabricTier> Fabric::tiers() const {
    return tables_->visit([](const auto& s) { return s.tiers(); });
}

// A switch at one end or both: the way through a node's NIC to its leaf, then over trunks. Under ECMP and with several
// planes the flow's label does not choose here.
bool Fabric::switch_path(const PathQuery& query, Path& into) const {
    const Tables& t = *tables_;
    if (t.planes == 0) {
        return false;
    }
    const auto leaf_of = [&](DeviceId device, std::uint16_t asked, std::uint32_t& nic) {
        if (t.is_switch(device)) {
            return device;
        }
        nic = t.nic_for(t.local(device), asked);
        const FabricEnd end{t.node_of(device), nic};
        return DeviceId{t.first_switch + t.switch_of(end, 0)};
    };
    std::uint32_t src_nic = 0;
    std::uint32_t dst_nic = 0;
    const DeviceId first = leaf_of(query.src, query.src_nic, src_nic);
    const DeviceId last = leaf_of(query.dst, query.dst_nic, dst_nic);
    const auto add = [&](LinkId id) {
        into.links[into.count++] = id;
        into.latency += link(id).latency;
    };
    bool found = true;
    if (first != query.src) {
        const LocalPath& out = t.to_nic(query, t.local(query.src), src_nic);
        t.append(into, t.node_of(query.src), out);
        add(LinkId{t.port_link({t.node_of(query.src), src_nic}, 0, false)});
        found = out.found;
    }
    const auto trunks = route_between_switches(*this, first, last);
    for (const LinkId trunk : trunks.value_or(std::vector<LinkId>{})) {
        add(trunk);
    }
    if (last != query.dst) {
        const LocalPath& in = t.from_nic(query, dst_nic, t.local(query.dst));
        add(LinkId{t.port_link({t.node_of(query.dst), dst_nic}, 0, true)});
        t.append(into, t.node_of(query.dst), in);
        found = found && in.found;
    }
    return found && trunks.has_value();
}

void Fabric::path(const PathQuery& query, Path& into) const {
    const Tables& t = *tables_;
    into.count = 0;
    into.latency = {};
    bool found = false;
    if (t.is_switch(query.src) || t.is_switch(query.dst)) {
        found = switch_path(query, into);
    } else if (query.transport != Transport::network && t.node_of(query.src) == t.node_of(query.dst)) {
        found = t.inside_node(query, into);
    } else {
        found = t.through_fabric(query, into);
    }
    if (!found) {
        throw Unreachable(
            "no path from " + device_name(query.src) + " to " + device_name(query.dst) +
            (into.count == 0 ? "" : "; the last link reached is " + link_name(into.links[into.count - 1])));
    }
}

Path Fabric::path(const PathQuery& query) const {
    Path found;
    path(query, found);
    return found;
}

}  // namespace fabricast
