#include "topologies/fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <optional>
#include <tuple>
#include <utility>

#include "base/text.hpp"
#include "topologies/drawn_nodes.hpp"
#include "topologies/fabric_tables.hpp"

namespace fabricast::inline topologies {

namespace {

// A path between two switches with the fewest trunks, the first found of several. Searches all trunks on each call.
std::optional<std::vector<LinkId>> route_between_switches(const Fabric& fabric, DeviceId from, DeviceId to) {
    const std::uint32_t first_switch = fabric.first_switch();
    const std::uint32_t first_trunk = fabric.first_trunk();
    const std::uint32_t switches = fabric.device_count() - first_switch;
    const auto vertex = [&](DeviceId device) { return static_cast<std::uint32_t>(device) - first_switch; };

    std::vector<std::vector<LinkId>> out(switches);
    for (std::uint32_t l = first_trunk; l < fabric.link_count(); ++l) {
        const LinkEnds ends = fabric.ends(LinkId{l});
        const bool trunk = fabric.kind(ends.from) == DeviceKind::fabric_switch &&
                           fabric.kind(ends.to) == DeviceKind::fabric_switch && !ends.resource;
        if (trunk) { out[vertex(ends.from)].push_back(LinkId{l}); }
    }
    // Breadth-first search; `into` is the trunk over which each switch was first reached.
    std::vector<std::optional<LinkId>> into(switches);
    std::vector<DeviceId> queue = {from};
    for (std::size_t next = 0; next < queue.size() && queue[next] != to; ++next) {
        for (const LinkId link : out[vertex(queue[next])]) {
            const DeviceId reached = fabric.ends(link).to;
            if (reached != from && !into[vertex(reached)]) {
                into[vertex(reached)] = link;
                queue.push_back(reached);
            }
        }
    }
    std::vector<LinkId> route;
    for (DeviceId at = to; at != from; at = fabric.ends(route.back()).from) {
        if (!into[vertex(at)]) { return std::nullopt; }
        route.push_back(*into[vertex(at)]);
    }
    std::reverse(route.begin(), route.end());
    return route;
}

}  // namespace

struct Placement {
    std::vector<std::uint32_t> nodes;  // wired node of each node with ranks
    std::vector<std::uint32_t> rank;   // the reverse; nowhere if there are none
};

namespace {

// What a GPU does with a training step: matrix products first, then what its memory is read for.
auto pace_of(const GpuSpec& gpu) { return std::tuple{std::max(gpu.bf16, gpu.fp16), gpu.memory_bandwidth}; }

}  // namespace

Fabric::Fabric(Cluster cluster) {
    if (cluster.fabric.kind == FabricKind::explicit_graph) {
        cluster =
            cluster.node.gpus == 0 ? fold_drawn_nodes(std::move(cluster)) : without_loose_nics(std::move(cluster));
    }
    tables_ = std::make_shared<const FabricTables>(std::move(cluster));
    find_pace();
    if (!tables_->cluster.place.empty()) { *this = on(tables_->cluster.place); }
}

void Fabric::find_pace() {
    const std::vector<std::uint32_t> of_kinds = kinds();
    pace_ = of_kinds.empty() ? 0 : *std::ranges::min_element(of_kinds, {}, [&](std::uint32_t node) {
        return pace_of(this->node(node).gpu);
    });
}

std::vector<std::uint32_t> Fabric::kinds() const {
    std::vector<std::uint32_t> first;
    std::vector<bool> seen(tables_->runs.size(), false);
    const std::uint32_t looked_at = seen.size() > 1 ? node_count() : std::min(node_count(), 1U);
    for (std::uint32_t n = 0; n < looked_at; ++n) {
        const std::uint32_t run = run_of(wired_node(n));
        if (!seen[run]) { first.push_back(n); }
        seen[run] = true;
    }
    return first;
}

std::vector<NodeSpan> Fabric::runs() const {
    std::vector<NodeSpan> runs;
    for (const RunTables& run : tables_->runs) { runs.push_back({run.first_node, run.end_node - run.first_node}); }
    return runs;
}

std::uint32_t Fabric::run_of(std::uint32_t wired) const {
    return static_cast<std::uint32_t>(&tables_->of_node(wired) - tables_->runs.data());
}

Fabric Fabric::paced_by(std::uint32_t node) const {
    Fabric seen = *this;
    seen.pace_ = node;
    return seen;
}

Fabric Fabric::on(std::vector<std::uint32_t> nodes) const {
    constexpr std::uint32_t nowhere = 0xffffffff;
    const std::uint32_t wired = tables_->cluster.nodes;
    Placement placement{std::move(nodes), std::vector<std::uint32_t>(wired, nowhere)};
    for (std::uint32_t i = 0; i < placement.nodes.size(); ++i) {
        const std::uint32_t node = placement.nodes[i];
        if (node >= wired || placement.rank[node] != nowhere) {
            throw ClusterError(node >= wired ? fmt::format("no node {} among {}", node, wired)
                                             : fmt::format("node {} stands twice in a placement", node));
        }
        placement.rank[node] = i;
    }
    Fabric placed = *this;
    placed.placement_ = std::make_shared<const Placement>(std::move(placement));
    placed.find_pace();
    return placed;
}

Fabric Fabric::whole() const {
    Fabric all = *this;
    all.placement_ = nullptr;
    all.find_pace();
    return all;
}

std::uint32_t Fabric::wired_node(std::uint32_t node) const { return placement_ ? placement_->nodes[node] : node; }

const Cluster& Fabric::cluster() const { return tables_->cluster; }
const FabricGenerator& Fabric::generator() const { return *tables_->generator; }
std::uint32_t Fabric::pace() const { return pace_; }
const NodeTemplate& Fabric::node() const { return node(pace_); }
const NodeTemplate& Fabric::node(std::uint32_t node) const { return tables_->of_node(wired_node(node)).node; }
const LinkSpec& Fabric::port() const {
    const Cluster& cluster = tables_->cluster;
    return cluster.runs.empty() ? cluster.fabric.link : cluster.runs[run_of(wired_node(pace_))].link;
}
std::uint32_t Fabric::node_count() const {
    return placement_ ? static_cast<std::uint32_t>(placement_->nodes.size()) : tables_->cluster.nodes;
}
std::uint32_t Fabric::gpus_per_node() const { return tables_->cluster.node.gpus; }
std::uint32_t Fabric::nics_per_node() const { return tables_->cluster.node.nics; }
std::uint32_t Fabric::gpu_count() const { return node_count() * gpus_per_node(); }

DeviceId Fabric::gpu(std::uint32_t rank) const {
    assert(rank < gpu_count());
    const std::uint32_t g = gpus_per_node();
    const std::uint32_t node = wired_node(rank / g);
    return DeviceId{tables_->of_node(node).device(node, rank % g)};
}

DeviceId Fabric::nic(std::uint32_t node, std::uint32_t nic) const {
    assert(node < node_count() && nic < nics_per_node());
    const std::uint32_t wired = wired_node(node);
    return DeviceId{tables_->of_node(wired).device(wired, gpus_per_node() + nic)};
}

DeviceId Fabric::nvswitch(std::uint32_t node, std::uint32_t which) const {
    const std::uint32_t wired = wired_node(node);
    const RunTables& run = tables_->of_node(wired);
    const auto& devices = run.graph.devices;
    for (std::uint32_t d = 0; d < devices.size(); ++d) {
        if (devices[d].kind == DeviceKind::nvswitch && devices[d].index == which) {
            return DeviceId{run.device(wired, d)};
        }
    }
    throw ClusterError("node '{}' has no NVSwitch {}", run.node.name, which);
}

DeviceKind Fabric::kind(DeviceId device) const {
    return tables_->is_switch(device) ? DeviceKind::fabric_switch
                                      : tables_->of(device).graph.devices[tables_->local(device)].kind;
}

std::uint32_t Fabric::node_of(DeviceId device) const {
    const std::uint32_t wired = wired_node_of(device);
    return placement_ ? placement_->rank[wired] : wired;
}

std::uint32_t Fabric::wired_node_of(DeviceId device) const {
    assert(!tables_->is_switch(device));
    return tables_->node_of(device);
}

std::uint32_t Fabric::first_switch() const { return tables_->first_switch; }
std::uint32_t Fabric::first_trunk() const { return tables_->first_trunk; }

std::uint32_t Fabric::local_index(DeviceId device) const {
    return tables_->is_switch(device) ? index(device) - tables_->first_switch
                                      : tables_->of(device).graph.devices[tables_->local(device)].index;
}

std::uint32_t Fabric::device_count() const { return tables_->first_switch + tables_->generator->switch_count(); }

std::uint16_t Fabric::nearest_nic(DeviceId gpu) const {
    return tables_->of(gpu).graph.nearest_nic.at(tables_->local(gpu));
}

std::uint16_t Fabric::nearest_nic(std::uint32_t local_gpu) const {
    return tables_->of_node(wired_node(pace_)).graph.nearest_nic.at(local_gpu);
}

std::span<const std::uint16_t> Fabric::near_nics(DeviceId gpu) const {
    return tables_->of(gpu).graph.near_nics.at(tables_->local(gpu));
}

std::uint32_t Fabric::link_count() const { return tables_->first_trunk + tables_->generator->trunk_count(); }

std::uint32_t Fabric::first_device(std::uint32_t wired) const {
    return wired == tables_->cluster.nodes ? tables_->first_switch : tables_->of_node(wired).device(wired, 0);
}
std::uint32_t Fabric::first_link(std::uint32_t wired) const {
    return wired == tables_->cluster.nodes ? tables_->first_trunk : tables_->of_node(wired).link(wired, 0);
}
std::uint32_t Fabric::wired_node_of(LinkId link) const {
    assert(index(link) < tables_->first_trunk);
    const RunTables& run = tables_->of(link);
    return run.first_node + (index(link) - run.first_link) / run.links;
}

LinkInfo Fabric::link(LinkId id) const {
    const FabricTables& t = *tables_;
    assert(index(id) < link_count());
    if (index(id) >= t.first_trunk) { return t.generator->trunk(index(id) - t.first_trunk).info; }
    const RunTables& run = t.of(id);
    const std::uint32_t local = (index(id) - run.first_link) % run.links;
    if (local < run.first_port) { return run.graph.links[local].info; }
    LinkInfo info = run.port;
    if ((local - run.first_port) % 2 == 1) {
        info.latency =
            run.port_inward + run.graph.devices[run.graph.gpus + (local - run.first_port) / 2 / t.planes].latency;
    }
    return info;
}

LinkEnds Fabric::ends(LinkId id) const {
    const FabricTables& t = *tables_;
    assert(index(id) < link_count());
    if (index(id) >= t.first_trunk) {
        const Trunk trunk = t.generator->trunk(index(id) - t.first_trunk);
        return {t.fabric_device(trunk.from), t.fabric_device(trunk.to), trunk.cables, trunk.resource};
    }
    const RunTables& run = t.of(id);
    const std::uint32_t node = wired_node_of(id);
    const std::uint32_t local = index(id) - run.link(node, 0);
    if (local < run.first_port) {
        const LocalLink& link = run.graph.links[local];
        return {DeviceId{run.device(node, link.from)}, DeviceId{run.device(node, link.to)},
                static_cast<std::uint32_t>(link.cables), link.resource};
    }
    const std::uint32_t port = (local - run.first_port) / 2;
    const FabricEnd end{node, port / t.planes};
    const std::uint32_t sw = t.switch_of(end, port % t.planes);
    LinkEnds ends{t.fabric_device(t.generator->switch_count() + node * t.cluster.node.nics + end.nic),
                  DeviceId{t.first_switch + sw}, static_cast<std::uint32_t>(std::max(run.node.nic_ports, 1)), false};
    if ((local - run.first_port) % 2 == 1) { std::swap(ends.from, ends.to); }
    return ends;
}

std::string Fabric::device_name(DeviceId device) const {
    const FabricTables& t = *tables_;
    if (t.is_switch(device)) { return t.generator->switch_name(index(device) - t.first_switch); }
    return fmt::format("node{}.{}", t.node_of(device), t.of(device).graph.devices[t.local(device)].name);
}

DeviceId Fabric::device(std::string_view name) const {
    const FabricTables& t = *tables_;
    const std::size_t dot = std::min(name.find('.'), name.size());
    const auto node = number_after(name.substr(0, dot), "node");
    const bool known_node = node && *node < t.cluster.nodes;
    if (known_node && dot < name.size()) {
        const RunTables& run = t.of_node(*node);
        if (const auto local = run.graph.device(name.substr(dot + 1))) { return DeviceId{run.device(*node, *local)}; }
    }
    if (const auto found = t.generator->find_switch(name)) { return DeviceId{t.first_switch + *found}; }
    std::vector<std::string> names;  // names that may have been meant
    const std::uint32_t meant = known_node ? *node : t.cluster.nodes - 1;
    for (std::uint32_t d = first_device(meant); d < first_device(meant + 1); ++d) {
        names.push_back(device_name(DeviceId{d}));
    }
    for (std::uint32_t d = t.first_switch; d < device_count() && d < t.first_switch + 1000; ++d) {
        names.push_back(device_name(DeviceId{d}));
    }
    throw ClusterError("no device '{}' in cluster '{}'{}", name, t.cluster.name,
                       did_you_mean(name, names, "; devices are called node0.gpu0, node0.nic0, leaf0"));
}

std::string Fabric::link_name(LinkId id) const {
    const LinkEnds joined = ends(id);
    if (joined.resource) {
        const std::string both = joined.from == joined.to ? "" : " <-> " + device_name(joined.to);
        return device_name(joined.from) + both + " (shared)";
    }
    const std::string bundle = joined.cables > 1 ? fmt::format(" (x{})", joined.cables) : "";
    return fmt::format("{} -> {}{}", device_name(joined.from), device_name(joined.to), bundle);
}

std::vector<FabricTier> Fabric::tiers() const { return tables_->generator->tiers(); }

// Path with a switch at one end or both: through the node's NIC to its leaf, then over trunks. The flow label is not
// used here, neither for ECMP nor for the plane: it is always plane 0 and the first shortest route.
bool Fabric::switch_path(const PathQuery& query, Path& into) const {
    const FabricTables& t = *tables_;
    if (t.planes == 0) { return false; }
    const auto leaf_of = [&](DeviceId device, std::uint16_t asked, std::uint32_t& nic) {
        if (t.is_switch(device)) { return device; }
        nic = t.nic_for(device, asked);
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
    for (const LinkId trunk : trunks.value_or(std::vector<LinkId>{})) { add(trunk); }
    if (last != query.dst) {
        const LocalPath& in = t.from_nic(query, dst_nic, t.local(query.dst));
        add(LinkId{t.port_link({t.node_of(query.dst), dst_nic}, 0, true)});
        t.append(into, t.node_of(query.dst), in);
        found = found && in.found;
    }
    return found && trunks.has_value();
}

void Fabric::path(const PathQuery& query, Path& into) const {
    const FabricTables& t = *tables_;
    into.count = 0;
    into.latency = {};
    bool found = false;
    if (t.is_switch(query.src) || t.is_switch(query.dst)) {
        found = switch_path(query, into);
    } else if (query.kind != PathKind::network && t.node_of(query.src) == t.node_of(query.dst)) {
        found = t.inside_node(query, into);
    } else {
        found = t.through_fabric(query, into);
    }
    if (!found) {
        throw Unreachable("no path from {} to {}{}", device_name(query.src), device_name(query.dst),
                          into.count == 0 ? "" : "; the last link reached is " + link_name(into.links[into.count - 1]));
    }
}

Path Fabric::path(const PathQuery& query) const {
    Path found;
    path(query, found);
    return found;
}

const GpuSpec& smallest_gpu(const Fabric& fabric) {
    const std::vector<std::uint32_t> kinds = fabric.kinds();
    const auto memory = [&](std::uint32_t node) { return fabric.node(node).gpu.memory.count; };
    return fabric.node(*std::ranges::min_element(kinds, {}, memory)).gpu;
}

}  // namespace fabricast::inline topologies
