// Sends and receives: all-to-all(v), the shift of nccl-tests' sendrecv, gather and scatter.

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "sim/collectives/lowering.hpp"

namespace fabricast {

namespace {

// All ranks but the root to the root (gather) or from it (scatter).
struct StarEdges {
    Fabric fabric;
    std::uint32_t root = 0;
    bool inward = true;
    bool gpu_direct = true;

    void operator()(const std::function<void(const Edge&)>& visit) const {
        for (std::uint32_t rank = 0; rank < fabric.gpu_count(); ++rank) {
            if (rank == root) {
                continue;
            }
            Edge edge;
            edge.path.src = fabric.gpu(inward ? rank : root);
            edge.path.dst = fabric.gpu(inward ? root : rank);
            edge.path.flow_label = rank;
            edge.path.gpu_direct = gpu_direct;
            visit(edge);
        }
    }
};

struct Pattern {
    EdgeSet edges;
    double bytes = 0;  // of one message
    std::uint32_t peers = 1;
};

std::vector<std::uint16_t> index_order(std::uint32_t gpus) {
    std::vector<std::uint16_t> order(gpus);
    for (std::uint32_t g = 0; g < gpus; ++g) {
        order[g] = static_cast<std::uint16_t>(g);
    }
    return order;
}

Pattern pattern(const Call& call) {
    const std::uint32_t ranks = call.shape.ranks;
    const double share = call.bytes / ranks;  // nccl-tests' size is the whole buffer of a rank
    switch (call.workload.collective) {
        case Collective::sendrecv: {
            NodeRing shift;
            shift.nodes = call.shape.nodes;
            shift.order = index_order(call.per_node());
            shift.gpu_direct = call.gpu_direct;
            return {shift, call.bytes, 1};
        }
        case Collective::gather:
        case Collective::scatter: {
            const bool inward = call.workload.collective == Collective::gather;
            const StarEdges star{call.fabric, call.workload.root, inward, call.gpu_direct};
            return {EdgeGenerator{ranks - 1, star}, share, ranks - 1};
        }
        default: {
            const bool pxn = call.environment.pxn && call.found.nvlink;
            return {AllPairs{.first = 0, .ranks = ranks, .pxn = pxn, .gpu_direct = call.gpu_direct}, share, ranks - 1};
        }
    }
}

// Below so many bytes a message costs more, where the transport's provider says so; 0: nowhere.
double small_below(const Part& transport) {
    const std::string below = transport.word_or("small_messages", "0");
    return std::strtod(below.c_str(), nullptr);
}

// What the host pays for one rank's messages to other nodes before the last can start.
double message_cost(const Call& call, double bytes, std::uint32_t peers) {
    Ledger& ledger = call.ledger;
    const bool small = bytes < small_below(*ledger.parts().transport);
    const double one = ledger.transport("message") * (small ? ledger.transport("small_message_factor") : 1);
    const std::uint32_t local = std::min(peers, call.per_node() - 1);
    return ledger.transport("p2p_start") + one * std::max(peers - local, 1U);
}

}  // namespace

Lowering plan_p2p(const Call& call, Schedule& schedule) {
    Ledger& ledger = call.ledger;
    const Pattern p = pattern(call);
    const int channels = nccl::p2p_channels(call.release, call.environment, call.found, call.shape, p.bytes);
    Pipeline pipeline;
    pipeline.bytes_per_edge = p.bytes / channels;
    pipeline.chunk =
        std::min(pipeline.bytes_per_edge, nccl::p2p_chunk(call.release, call.environment, call.found, call.shape));
    pipeline.slots = call.release.buffers.slots;
    pipeline.fill = ledger.kernel("p2p.fill");
    pipeline.edge_rate_cap = ledger.kernel("p2p.channel_rate");
    pipeline.wire_ratio = ledger.kernel("p2p.wire");
    pipeline.start = from_seconds(ledger.kernel("p2p.start") + ledger.kernel("p2p.per_peer") * p.peers);
    pipeline.weight = channels;
    if (call.several_nodes()) {
        const bool one_pair = call.workload.collective == Collective::sendrecv;
        pipeline.network_wire_ratio = ledger.transport(one_pair ? "sendrecv_wire" : "p2p_wire");
        pipeline.start = from_seconds(message_cost(call, p.bytes, p.peers));
        pipeline.edge_rate_cap = std::numeric_limits<double>::infinity();
    }
    pipeline.edges = add_edges(schedule, p.edges);
    const nccl::Ring& ring = call.found.rings.front();
    const Stage stage{1, call.several_nodes() ? rail_hop(call, ring) : local_hop(call, ring), {}};
    set_stages(schedule, pipeline, {&stage, 1});
    return {pipeline_body(pipeline), channels, false};
}

}  // namespace fabricast
