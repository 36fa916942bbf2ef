#include "sim/engines/common/edges.hpp"

#include "topologies/trays.hpp"

namespace fabricast::inline engine_common {

namespace {

using Visitor = std::function<void(const Edge&)>;

void visit_edges(const EdgeList& list, const Fabric&, const Visitor& visit) {
    for (const Edge& edge : list.edges) { visit(edge); }
}

void visit_edges(const NodeRing& ring, const Fabric& fabric, const Visitor& visit) {
    const std::uint32_t per_node = fabric.gpus_per_node();
    const auto gpu = [&](std::uint32_t node, std::size_t place) {
        return fabric.gpu(node * per_node + ring.order[place]);
    };
    Edge edge;
    edge.connections = ring.connections;
    edge.path.flow_label = ring.flow_label;
    edge.path.gpu_direct = ring.gpu_direct;
    const std::size_t last = ring.order.size() - 1;
    for (std::uint32_t i = 0; i < ring.nodes; ++i) {
        const std::uint32_t node = ring.first_node + i;
        edge.path.src_nic = edge.path.dst_nic = any_nic;
        for (std::size_t place = 0; place < last; ++place) {
            edge.path.src = gpu(node, place);
            edge.path.dst = gpu(node, place + 1);
            visit(edge);
        }
        const bool wraps = i + 1 == ring.nodes;
        if ((wraps && !ring.closed) || (ring.nodes == 1 && last == 0)) { continue; }
        edge.path.src = gpu(node, last);
        edge.path.dst = gpu(wraps ? ring.first_node : node + 1, 0);
        if (ring.nodes > 1) {
            edge.path.src_nic = ring.exit_nic;
            edge.path.dst_nic = ring.entry_nic;
        }
        visit(edge);
    }
}

void visit_edges(const AllPairs& pairs, const Fabric& fabric, const Visitor& visit) {
    const std::uint32_t per_node = fabric.gpus_per_node();
    const Trays trays(fabric.node());
    Edge edge;
    edge.connections = pairs.connections;
    edge.path.gpu_direct = pairs.gpu_direct;
    for (std::uint32_t i = 0; i < pairs.ranks; ++i) {
        for (std::uint32_t j = 0; j < pairs.ranks; ++j) {
            if (i == j) { continue; }
            const std::uint32_t from = pairs.first + i;
            const std::uint32_t to = pairs.first + j;
            edge.path.src = fabric.gpu(from);
            edge.path.dst = fabric.gpu(to);
            // PXN: leave by the NIC of the own tray on the destination's rail, so that no traffic crosses rails.
            const bool by_rail = pairs.pxn && from / per_node != to / per_node && fabric.nics_per_node() > 0;
            edge.path.flow_label = by_rail ? pxn_label(from % per_node, j, pairs.ranks) : j;
            const std::uint16_t rail = by_rail ? fabric.nearest_nic(edge.path.dst) : any_nic;
            edge.path.src_nic = by_rail ? trays.on_rail_of(fabric.nearest_nic(edge.path.src), rail) : any_nic;
            edge.path.dst_nic = rail;
            visit(edge);
        }
    }
}

void visit_edges(const GeneratedEdges& generator, const Fabric&, const Visitor& visit) { generator.for_each(visit); }

std::uint64_t count_edges(const EdgeList& list) { return list.edges.size(); }
std::uint64_t count_edges(const NodeRing& ring) {
    const std::uint64_t inside = std::uint64_t{ring.nodes} * (ring.order.size() - 1);
    const bool one_gpu = ring.nodes == 1 && inside == 0;
    return one_gpu ? 0 : inside + ring.nodes - (ring.closed ? 0 : 1);
}
std::uint64_t count_edges(const AllPairs& pairs) {
    return pairs.ranks == 0 ? 0 : std::uint64_t{pairs.ranks} * (pairs.ranks - 1);
}
std::uint64_t count_edges(const GeneratedEdges& generator) { return generator.edges; }

}  // namespace

std::uint64_t edge_count(const EdgeSet& set) {
    return std::visit([](const auto& edges) { return count_edges(edges); }, set);
}

void for_each_edge(const EdgeSet& set, const Fabric& fabric, const Visitor& visit) {
    std::visit([&](const auto& edges) { visit_edges(edges, fabric, visit); }, set);
}

}  // namespace fabricast::inline engine_common
