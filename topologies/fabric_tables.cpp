#include "topologies/fabric_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "base/hash.hpp"

namespace fabricast::inline topologies {

namespace {

std::unique_ptr<const FabricGenerator> make_generator(const Cluster& cluster, const Trays& trays) {
    const FabricKind kind = cluster.fabric.kind;
    if (kind == FabricKind::none && cluster.nodes > 1) {
        throw ClusterError("cluster '{}' has {} nodes and no fabric to join them", cluster.name, cluster.nodes);
    }
    if (kind != FabricKind::none && cluster.node.nics == 0) {
        throw ClusterError(kind == FabricKind::explicit_graph
                               ? "no cable of the graph ends at a NIC of a node (accepted: one to node0.nic0)"
                               : fmt::format("node '{}' has no NIC for the {} fabric", cluster.node.name, kind->name));
    }
    // A drawn fabric lists its adapters, the others count them.
    const std::uint64_t adapters = std::uint64_t{cluster.nodes} * cluster.node.nics;
    const std::uint64_t most = kind == FabricKind::explicit_graph ? 1U << 22U : 0x7fffffffU;
    if (adapters > most) {
        throw ClusterError("cluster '{}' has {} NICs; {} are the most of a fabric of kind {}", cluster.name, adapters,
                           most, kind->name);
    }
    return kind->generator(cluster, trays);
}

}  // namespace

FabricTables::FabricTables(Cluster c) : cluster(std::move(c)), trays(cluster.node) {
    generator = make_generator(cluster, trays);
    planes = generator->planes();
    hashes = generator->hashes();
    add_runs();
    number();
    check_longest_path();
}

// Numbers all nodes' devices and links.
void FabricTables::number() {
    std::uint64_t node = 0, device = 0, link = 0;
    for (RunTables& run : runs) {
        run.first_node = static_cast<std::uint32_t>(node);
        run.first_device = static_cast<std::uint32_t>(device);
        run.first_link = static_cast<std::uint32_t>(link);
        const std::uint64_t nodes = run.end_node;
        node += nodes;
        device += nodes * run.devices;
        link += nodes * run.links;
        if (link + generator->trunk_count() > 0xffffffffU) {
            throw ClusterError("cluster '{}' has more than 2^32 links", cluster.name);
        }
        run.end_node = static_cast<std::uint32_t>(node);
        run.end_device = first_switch = static_cast<std::uint32_t>(device);
        run.end_link = first_trunk = static_cast<std::uint32_t>(link);
    }
}

// The tables of each kind of node; `end_node` holds their number until they are numbered.
void FabricTables::add_runs() {
    const std::vector<NodeRun> alike{{cluster.node, cluster.nodes, cluster.fabric.link}};
    for (const NodeRun& made : cluster.runs.empty() ? alike : cluster.runs) {
        assert(made.node.gpus == cluster.node.gpus && made.node.nics == cluster.node.nics);
        RunTables& run = runs.emplace_back(RunTables{made.node, node_graph_with_paths(made.node), {}, {}});
        run.end_node = made.nodes;
        run.devices = static_cast<std::uint32_t>(run.graph.devices.size());
        run.first_port = static_cast<std::uint32_t>(run.graph.links.size());
        run.links = run.first_port + made.node.nics * planes * 2;
        if (planes > 0) {
            const double share = static_cast<double>(std::max(made.node.nic_ports, 1)) / planes;
            run.port = {goodput(made.link) * share, made.link.latency + cluster.fabric.switch_latency,
                        LinkClass::nic_port};
            run.port_inward = made.link.latency;
        }
    }
}

// A Path has a fixed number of links: throws ClusterError if a path of this fabric could need more.
void FabricTables::check_longest_path() const {
    std::size_t local = 0;
    for (const RunTables& run : runs) {
        for (const auto* paths : {&run.graph.best_paths, &run.graph.staged_paths, &run.graph.pcie_paths}) {
            for (const LocalPath& path : *paths) { local = std::max<std::size_t>(local, path.count); }
        }
    }
    const std::size_t longest = 2 * local + 2 + generator->longest_route();
    if (longest > max_path_links) {
        throw ClusterError("a path across this {} may need {} links; {} are the most", cluster.fabric.kind->name,
                           longest, max_path_links);
    }
}

bool FabricTables::inside_node(const PathQuery& query, Path& path) const {
    const NodeGraph& graph = of(query.src).graph;
    const std::uint32_t from = local(query.src);
    const std::uint32_t to = local(query.dst);
    const LocalPath* part = &graph.best(from, to);
    if (query.kind != PathKind::automatic && from < graph.ends && to < graph.ends) {
        const bool gpus = from < graph.gpus && to < graph.gpus;
        if (query.kind == PathKind::nvlink && gpus) {
            part = &graph.nvlink(from, to);
        } else if (query.kind == PathKind::p2p) {
            part = &graph.pcie(from, to);
        } else if (query.kind == PathKind::host_staged) {
            part = &graph.staged(from, to);
        }
    }
    append(path, node_of(query.src), *part);
    return part->found;
}

// The NIC for a device: itself; otherwise that of the query; otherwise a GPU's nearest, another device's first one.
std::uint32_t FabricTables::nic_for(DeviceId id, std::uint16_t asked) const {
    const NodeGraph& graph = of(id).graph;
    const std::uint32_t device = local(id);
    if (device >= graph.gpus && device < graph.ends) { return device - static_cast<std::uint32_t>(graph.gpus); }
    if (asked != any_nic) { return asked; }
    return device < graph.nearest_nic.size() ? graph.nearest_nic[device] : 0;
}

// The path between a device and a NIC, in the direction from `from` to `to`, one of which is `device`.
const LocalPath& FabricTables::beside_nic(const PathQuery& query, const RunTables& run, std::uint32_t device,
                                          std::size_t from, std::size_t to) const {
    const NodeGraph& graph = run.graph;
    const bool gpu = device < graph.gpus;
    const bool direct = (query.gpu_direct && run.node.gpu_direct) || !gpu;
    if (direct && !query.forwarded && gpu) { return graph.pcie(from, to); }
    return direct ? graph.best(from, to) : graph.staged(from, to);
}

// Adds the part of the path from one NIC's port over the trunks to the other NIC's port.
bool FabricTables::across(FabricEnd from, FabricEnd to, std::uint32_t flow_label, Path& path) const {
    std::uint64_t hash = 0;
    if (hashes) {
        const std::uint64_t pair = static_cast<std::uint64_t>(from.node * cluster.node.nics + from.nic) << 32U |
                                   (to.node * cluster.node.nics + to.nic);
        hash = mix(mix(pair ^ cluster.fabric.seed) ^ flow_label);
    }
    const std::uint32_t plane = pick(hash, 0xffffffffU, planes);
    if (planes > 0) {
        path.links[path.count++] = LinkId{port_link(from, plane, false)};
        path.latency += of_node(from.node).port.latency;
    }
    TrunkRoute route;
    const bool joined = generator->route(seat(from), seat(to), plane, hash, route);
    for (std::size_t i = 0; i < route.count; ++i) { path.links[path.count++] = LinkId{first_trunk + route.trunks[i]}; }
    path.latency += route.latency;
    if (joined && planes > 0) {
        path.links[path.count++] = LinkId{port_link(to, plane, true)};
        const RunTables& run = of_node(to.node);
        path.latency += run.port_inward + run.graph.devices[run.graph.gpus + to.nic].latency;
    }
    return joined;
}

bool FabricTables::through_fabric(const PathQuery& query, Path& path) const {
    const std::uint32_t from = local(query.src);
    const std::uint32_t to = local(query.dst);
    const std::uint32_t dst_nic = nic_for(query.dst, query.dst_nic);
    // If no switch joins two rails, the sender uses the NIC of its own tray on the destination's rail, over NVLink.
    const bool same_rail = !generator->joins_rails() && query.src_nic == any_nic && from < cluster.node.gpus;
    std::uint32_t src_nic = nic_for(query.src, query.src_nic);
    if (src_nic >= cluster.node.nics || dst_nic >= cluster.node.nics) { return false; }
    src_nic = same_rail ? trays.on_rail_of(static_cast<std::uint16_t>(src_nic), static_cast<std::uint16_t>(dst_nic))
                        : src_nic;
    const LocalPath& out = to_nic(query, from, src_nic);
    const LocalPath& in = from_nic(query, dst_nic, to);
    append(path, node_of(query.src), out);
    if (!out.found || !across({node_of(query.src), src_nic}, {node_of(query.dst), dst_nic}, query.flow_label, path)) {
        return false;
    }
    append(path, node_of(query.dst), in);
    return in.found;
}

}  // namespace fabricast::inline topologies
