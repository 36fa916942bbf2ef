#include "sim/edges.hpp"

#include "topologies/fabric.hpp"

namespace fabricast {

namespace {

using Visitor = std::function<void(const Edge&)>;

void visit_edges(const EdgeList& list, const Fabric&, const Visitor& visit) {
    for (const Edge& edge : list.edges) {
        visit(edge);
    }
}

void visit_edges(const NodeRing& ring, const Fabric& fabric, const Visitor& visit) {
    const std::uint32_t per_node = fabric.gpus_per_node();
    const auto gpu = [&](std::uint32_t node, std::size_t place) {
        return fabric.gpu(node * per_node + ring.order[place]);
    };
    Edge edge;
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
        if ((wraps && !ring.closed) || (ring.nodes == 1 && last == 0)) {
            continue;
        }
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
    Edge edge;
    edge.path.gpu_direct = pairs.gpu_direct;
    for (std::uint32_t i = 0; i < pairs.ranks; ++i) {
        for (std::uint32_t j = 0; j < pairs.ranks; ++j) {
            if (i == j) {
                continue;
            }
            const std::uint32_t from = pairs.first + i;
            const std::uint32_t to = pairs.first + j;
            edge.path.src = fabric.gpu(from);
            edge.path.dst = fabric.gpu(to);
            edge.path.flow_label = j;
            // PXN: leave on the destination's rail, reached over NVLink, so that traffic never crosses rails.
            const bool network = from / per_node != to / per_node && fabric.nics_per_node() > 0;
            const std::uint16_t rail = network ? fabric.nearest_nic(to % per_node) : any_nic;
            edge.path.src_nic = pairs.pxn ? rail : any_nic;
            edge.path.dst_nic = pairs.pxn ? rail : any_nic;
            visit(edge);
        }
    }
}

void visit_edges(const EdgeGenerator& generator, const Fabric&, const Visitor& visit) { generator.for_each(visit); }

}  // namespace

void for_each_edge(const EdgeSet& set, const Fabric& fabric, const Visitor& visit) {
    std::visit([&](const auto& edges) { visit_edges(edges, fabric, visit); }, set);
}

}  // namespace fabricast
