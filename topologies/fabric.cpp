#include "topologies/fabric.hpp"

#include <cassert>
#include <charconv>
#include <utility>
#include <variant>

#include "models/catalog.hpp"
#include "topologies/clos.hpp"
#include "topologies/dragonfly.hpp"
#include "topologies/drawn_nodes.hpp"
#include "topologies/explicit_fabric.hpp"
#include "topologies/hash.hpp"
#include "topologies/node_graph.hpp"
#include "topologies/switch_routes.hpp"
#include "topologies/switching.hpp"
#include "topologies/torus.hpp"

namespace fabricast {

namespace {

// A single node: no NIC's cable leads anywhere.
struct NoFabric {
    std::uint32_t switch_count() const { return 0; }
    std::uint32_t trunk_count() const { return 0; }
    std::uint32_t planes() const { return 0; }
    std::uint32_t switch_of(FabricEnd, std::uint32_t) const { return 0; }
    Trunk trunk(std::uint32_t) const { return {}; }
    std::string switch_name(std::uint32_t) const { return {}; }
    std::optional<std::uint32_t> find_switch(std::string_view) const { return std::nullopt; }
    bool route(FabricEnd, FabricEnd, std::uint32_t, std::uint64_t, TrunkRoute&) const { return false; }
    std::uint32_t longest_route() const { return 0; }
    bool hashes() const { return false; }
    std::vector<FabricTier> tiers() const { return {}; }
};

using Switching = std::variant<NoFabric, Clos, Dragonfly, Torus, ExplicitFabric>;

Switching make_switching(const Cluster& cluster) {
    if (cluster.fabric.kind == FabricKind::none) {
        if (cluster.nodes > 1) {
            throw ClusterError("cluster '" + cluster.name + "' has " + std::to_string(cluster.nodes) +
                               " nodes and no fabric to join them");
        }
        return NoFabric{};
    }
    if (cluster.node.nics == 0) {
        throw ClusterError("node '" + cluster.node.name + "' has no NIC for the " +
                           std::string(word(cluster.fabric.kind)) + " fabric");
    }
    switch (cluster.fabric.kind) {
        case FabricKind::dragonfly:
        case FabricKind::dragonfly_plus:
            return Dragonfly(cluster);
        case FabricKind::torus:
            return Torus(cluster);
        case FabricKind::explicit_graph:
            return ExplicitFabric(cluster);
        default:
            return Clos(cluster);
    }
}

std::uint32_t index(DeviceId id) { return static_cast<std::uint32_t>(id); }
std::uint32_t index(LinkId id) { return static_cast<std::uint32_t>(id); }

}  // namespace

// Devices: node n's local device d is n * devices + d; switches follow. Links: node n's local link l is n * links + l,
// first those of the template, then out and in of each NIC port; trunks follow.
struct Fabric::Tables {
    explicit Tables(Cluster c);

    template <class Function>
    auto visit(Function&& function) const {
        return std::visit(std::forward<Function>(function), switching);
    }

    std::uint32_t node_of(DeviceId id) const { return index(id) / devices; }
    std::uint32_t local(DeviceId id) const { return index(id) % devices; }
    bool is_switch(DeviceId id) const { return index(id) >= first_switch; }
    std::uint32_t port_link(FabricEnd end, std::uint32_t plane, bool inward) const {
        return end.node * links + first_port + (end.nic * planes + plane) * 2 + (inward ? 1 : 0);
    }

    // A generator's switch or, behind the switches, a NIC.
    DeviceId fabric_device(std::uint32_t vertex) const {
        const std::uint32_t switches = visit([](const auto& s) { return s.switch_count(); });
        if (vertex < switches) {
            return DeviceId{first_switch + vertex};
        }
        const std::uint32_t nic = vertex - switches;
        return DeviceId{nic / cluster.node.nics * devices + cluster.node.gpus + nic % cluster.node.nics};
    }

    void append(Path& path, std::uint32_t node, const LocalPath& part) const {
        const std::uint32_t base = node * links;
        for (const std::uint16_t link : graph.span(part)) {
            path.links[path.count++] = LinkId{base + link};
        }
        path.latency += part.latency;
    }

    Cluster cluster;
    NodeGraph graph;
    Switching switching;
    std::uint32_t planes = 0;
    std::uint32_t devices = 0, links = 0;  // per node
    std::uint32_t first_port = 0;
    std::uint32_t first_switch = 0, first_trunk = 0;
    LinkInfo port;
    bool hashes = false;  // the flow's hash decides something

    void check_longest_path() const;
    bool inside_node(const PathQuery& query, Path& path) const;
    bool through_fabric(const PathQuery& query, Path& path) const;
    bool across(FabricEnd from, FabricEnd to, std::uint32_t flow_label, Path& path) const;
    const LocalPath& to_nic(const PathQuery& query, std::uint32_t from, std::uint32_t nic) const;
    const LocalPath& from_nic(const PathQuery& query, std::uint32_t nic, std::uint32_t to) const;
    std::uint32_t nic_for(std::uint32_t local, std::uint16_t asked) const;
};

Fabric::Tables::Tables(Cluster c)
    : cluster(std::move(c)), graph(make_node_graph(cluster.node)), switching(make_switching(cluster)) {
    planes = visit([](const auto& s) { return s.planes(); });
    devices = static_cast<std::uint32_t>(graph.devices.size());
    first_port = static_cast<std::uint32_t>(graph.links.size());
    links = first_port + cluster.node.nics * planes * 2;
    first_switch = cluster.nodes * devices;
    first_trunk = cluster.nodes * links;
    const FabricSpec& fabric = cluster.fabric;
    if (planes > 0) {
        const double share = static_cast<double>(std::max(cluster.node.nic_ports, 1)) / planes;
        port = {goodput(fabric.link) * share, fabric.link.latency + fabric.switch_latency, LinkClass::nic_port};
    }
    hashes = visit([](const auto& s) { return s.hashes(); });
    check_longest_path();
    const std::uint64_t all =
        static_cast<std::uint64_t>(cluster.nodes) * links + visit([](const auto& s) { return s.trunk_count(); });
    if (all > 0xffffffffU) {
        throw ClusterError("cluster '" + cluster.name + "' has more than 2^32 links");
    }
}

// Paths live in a fixed array: a shape whose diameter outgrows it is refused here, never overrun later.
void Fabric::Tables::check_longest_path() const {
    std::size_t local = 0;
    for (const auto* paths : {&graph.best_paths, &graph.staged_paths, &graph.pcie_paths}) {
        for (const LocalPath& path : *paths) {
            local = std::max<std::size_t>(local, path.count);
        }
    }
    const std::size_t longest = 2 * local + 2 + visit([](const auto& s) { return s.longest_route(); });
    if (longest > max_path_links) {
        throw ClusterError("a path across this " + std::string(word(cluster.fabric.kind)) + " may need " +
                           std::to_string(longest) + " links; " + std::to_string(max_path_links) + " are the most");
    }
}

bool Fabric::Tables::inside_node(const PathQuery& query, Path& path) const {
    const std::uint32_t from = local(query.src);
    const std::uint32_t to = local(query.dst);
    const LocalPath* part = &graph.best(from, to);
    if (query.transport != Transport::automatic && from < graph.ends && to < graph.ends) {
        const bool gpus = from < graph.gpus && to < graph.gpus;
        if (query.transport == Transport::nvlink && gpus) {
            part = &graph.nvlink(from, to);
        } else if (query.transport == Transport::p2p) {
            part = &graph.pcie(from, to);
        } else if (query.transport == Transport::host_staged) {
            part = &graph.staged(from, to);
        }
    }
    append(path, node_of(query.src), *part);
    return part->found;
}

// The NIC asked for; else the GPU's nearest; a NIC speaks for itself; other devices use the first.
std::uint32_t Fabric::Tables::nic_for(std::uint32_t device, std::uint16_t asked) const {
    if (device >= graph.gpus && device < graph.ends) {
        return device - static_cast<std::uint32_t>(graph.gpus);
    }
    if (asked != any_nic) {
        return asked;
    }
    return device < graph.gpus ? graph.nearest_nic[device] : 0;
}

const LocalPath& Fabric::Tables::to_nic(const PathQuery& query, std::uint32_t from, std::uint32_t nic) const {
    const bool direct = (query.gpu_direct && cluster.node.gpu_direct) || from >= graph.gpus;
    return direct ? graph.best(from, graph.gpus + nic) : graph.staged(from, graph.gpus + nic);
}

const LocalPath& Fabric::Tables::from_nic(const PathQuery& query, std::uint32_t nic, std::uint32_t to) const {
    const bool direct = (query.gpu_direct && cluster.node.gpu_direct) || to >= graph.gpus;
    return direct ? graph.best(graph.gpus + nic, to) : graph.staged(graph.gpus + nic, to);
}

// Out of one NIC's port, over the trunks, into the other's.
bool Fabric::Tables::across(FabricEnd from, FabricEnd to, std::uint32_t flow_label, Path& path) const {
    std::uint64_t hash = 0;
    if (hashes) {
        const std::uint64_t pair = static_cast<std::uint64_t>(from.node * cluster.node.nics + from.nic) << 32U |
                                   (to.node * cluster.node.nics + to.nic);
        hash = mix(mix(pair ^ cluster.fabric.seed) ^ flow_label);
    }
    const std::uint32_t plane = pick(hash, 0xffffffffU, planes);
    if (planes > 0) {
        path.links[path.count++] = LinkId{port_link(from, plane, false)};
        path.latency += port.latency;
    }
    TrunkRoute route;
    const bool joined = visit([&](const auto& s) { return s.route(from, to, plane, hash, route); });
    for (std::size_t i = 0; i < route.count; ++i) {
        path.links[path.count++] = LinkId{first_trunk + route.trunks[i]};
    }
    path.latency += route.latency;
    if (joined && planes > 0) {
        path.links[path.count++] = LinkId{port_link(to, plane, true)};
        path.latency += cluster.fabric.link.latency + graph.devices[graph.gpus + to.nic].latency;
    }
    return joined;
}

bool Fabric::Tables::through_fabric(const PathQuery& query, Path& path) const {
    const std::uint32_t from = local(query.src);
    const std::uint32_t to = local(query.dst);
    const std::uint32_t dst_nic = nic_for(to, query.dst_nic);
    // Rails that never meet are entered by the destination's, reached over NVLink.
    const bool same_rail =
        cluster.fabric.kind == FabricKind::rail_only && query.src_nic == any_nic && from < graph.gpus;
    const std::uint32_t src_nic = same_rail ? dst_nic : nic_for(from, query.src_nic);
    if (src_nic >= cluster.node.nics || dst_nic >= cluster.node.nics) {
        return false;
    }
    const LocalPath& out = to_nic(query, from, src_nic);
    const LocalPath& in = from_nic(query, dst_nic, to);
    append(path, node_of(query.src), out);
    if (!out.found || !across({node_of(query.src), src_nic}, {node_of(query.dst), dst_nic}, query.flow_label, path)) {
        return false;
    }
    append(path, node_of(query.dst), in);
    return in.found;
}

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

std::string Fabric::device_name(DeviceId device) const {
    const Tables& t = *tables_;
    if (t.is_switch(device)) {
        return t.visit([&](const auto& s) { return s.switch_name(index(device) - t.first_switch); });
    }
    return "node" + std::to_string(t.node_of(device)) + "." + t.graph.devices[t.local(device)].name;
}

DeviceId Fabric::device(std::string_view name) const {
    const Tables& t = *tables_;
    std::vector<std::string> near;
    if (name.starts_with("node")) {
        const std::size_t dot = std::min(name.find('.'), name.size());
        std::uint32_t node = 0;
        const bool number =
            dot > 4 && std::from_chars(name.data() + 4, name.data() + dot, node).ptr == name.data() + dot;
        if (number && node < t.cluster.nodes && dot < name.size()) {
            if (const auto local = t.graph.device(name.substr(dot + 1))) {
                return DeviceId{node * t.devices + *local};
            }
        }
        const std::string prefix =
            "node" + std::to_string(number && node < t.cluster.nodes ? node : t.cluster.nodes - 1) + ".";
        for (const LocalDevice& device : t.graph.devices) {
            near.push_back(prefix + device.name);
        }
    } else if (const auto sw = t.visit([&](const auto& s) { return s.find_switch(name); })) {
        return DeviceId{t.first_switch + *sw};
    }
    for (std::uint32_t s = t.first_switch; s < device_count() && s < t.first_switch + 1000; ++s) {
        near.push_back(device_name(DeviceId{s}));
    }
    const std::string word = nearest_word(name, near);
    throw ClusterError(
        "no device '" + std::string(name) + "' in cluster '" + t.cluster.name + "'" +
        (word.empty() ? "; devices are called node0.gpu0, node0.nic0, leaf0" : "; did you mean '" + word + "'?"));
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
    const std::uint32_t sw = t.visit([&](const auto& s) { return s.switch_of(end, port % t.planes); });
    LinkEnds ends{nic(node, end.nic), DeviceId{t.first_switch + sw},
                  static_cast<std::uint32_t>(std::max(t.cluster.node.nic_ports, 1)), false};
    if ((local - t.first_port) % 2 == 1) {
        std::swap(ends.from, ends.to);
    }
    return ends;
}

std::string Fabric::link_name(LinkId id) const {
    const LinkEnds joined = ends(id);
    if (joined.resource) {
        const std::string both = joined.from == joined.to ? "" : " <-> " + device_name(joined.to);
        return device_name(joined.from) + both + " (shared)";
    }
    const std::string bundle = joined.cables > 1 ? " (x" + std::to_string(joined.cables) + ")" : "";
    return device_name(joined.from) + " -> " + device_name(joined.to) + bundle;
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
        return DeviceId{t.first_switch + t.visit([&](const auto& s) { return s.switch_of(end, 0); })};
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
