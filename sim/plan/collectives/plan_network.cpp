#include "sim/plan/collectives/plan_network.hpp"

// Algorithms that depend mostly on the network: PAT for one GPU per node, CollNet for switches that reduce. We have no
// published measurements of either, so their forecasts rest on the formula only.

#include <algorithm>
#include <bit>
#include <utility>

#include "topologies/trays.hpp"

namespace fabricast {

namespace {

using Visitor = std::function<void(const Edge&)>;

// PAT sends over distances 1, 2, 4 ...: at each distance it sends the pieces whose binomial trees branch there.
struct PatEdges {
    Fabric fabric;
    std::uint32_t ranks = 1;
    bool forward = true;  // all-gather; reduce-scatter runs the other way
    bool gpu_direct = true;

    void operator()(const Visitor& visit) const {
        for (std::uint32_t distance = 1; distance < ranks; distance *= 2) {
            const std::uint32_t pieces = (ranks - 1 - distance) / (2 * distance) + 1;
            for (std::uint32_t r = 0; r < ranks; ++r) {
                Edge edge;
                edge.count = static_cast<double>(pieces) / (ranks - 1);
                edge.path.src = fabric.gpu(r);
                edge.path.dst = fabric.gpu((r + distance) % ranks);
                edge.path.gpu_direct = gpu_direct;
                edge.path.flow_label = distance;
                if (!forward) {
                    std::swap(edge.path.src, edge.path.dst);
                }
                visit(edge);
            }
        }
    }
};

// Inside a node every GPU scatters to the heads and gathers from them; each head sends its share to the network once
// and receives the sum once, which loads its NIC as one pass of a ring around the nodes would.
struct CollnetEdges {
    Fabric fabric;
    std::vector<std::uint16_t> rails;
    std::uint32_t nodes = 1;
    bool gpu_direct = true;

    void operator()(const Visitor& visit) const {
        const std::uint32_t per_node = fabric.gpus_per_node();
        const Trays trays(fabric.node());
        for (std::uint32_t node = 0; node < nodes; ++node) {
            for (std::uint32_t head = 0; head < per_node; ++head) {
                const DeviceId own = fabric.gpu(node * per_node + head);
                Edge edge;
                edge.path.src = own;
                edge.path.gpu_direct = gpu_direct;
                edge.count = 2.0 / per_node;
                for (std::uint32_t peer = 0; peer < per_node; ++peer) {
                    if (peer != head) {
                        edge.path.dst = fabric.gpu(node * per_node + peer);
                        visit(edge);
                    }
                }
                edge.count = 1.0 / per_node;
                edge.path.dst = fabric.gpu((node + 1) % nodes * per_node + head);
                edge.path.src_nic = edge.path.dst_nic =
                    trays.on_rail_of(fabric.nearest_nic(head), rails[head % rails.size()]);
                edge.path.flow_label = head;
                visit(edge);
            }
        }
    }
};

// A Simple stream of `bytes` per edge and channel; the network limits its rate.
Pipeline network_stream(const Call& call, double bytes, double chunk, int channels) {
    FigureReader& ledger = call.ledger;
    const ProtocolCost cost = protocol_cost(ledger, nccl::Proto::simple);
    Pipeline pipeline;
    pipeline.bytes_per_edge = bytes;
    pipeline.chunk = std::min(bytes, chunk);
    pipeline.slots = network_slots(ledger);
    pipeline.edge_rate_cap = cost.channel_rate;
    pipeline.wire_ratio = cost.wire;
    pipeline.network_wire_ratio = network_wire(ledger, nccl::Proto::simple);
    pipeline.fill = cost.fill;
    pipeline.start = kernel_start(ledger, nccl::Proto::simple, cost, channels, pipeline.chunk);
    pipeline.weight = channels;
    return pipeline;
}

}  // namespace

LoweredCall plan_pat(const Call& call, Schedule& schedule) {
    FigureReader& ledger = call.ledger;
    const int channels = nccl::channels_used(call.release, call.found, nccl::Algo::pat, nccl::Proto::simple,
                                             call.workload.collective, call.shape, call.bytes);
    const std::uint32_t ranks = call.shape.ranks;
    Pipeline pipeline =
        network_stream(call, call.bytes * (ranks - 1) / ranks / channels,
                       nccl::slot_payload(call.release, call.environment, nccl::Proto::simple), channels);
    const bool forward = call.workload.collective == Collective::all_gather;
    const auto distances = static_cast<std::uint32_t>(std::bit_width(ranks - 1));
    pipeline.edges = add_edges(
        call, schedule,
        GeneratedEdges{std::uint64_t{ranks} * distances, PatEdges{call.fabric, ranks, forward, call.gpu_direct}});
    const Stage stage{static_cast<double>(distances), rail_hop(call, call.found.rings.front()),
                      network_hop(ledger, NetworkHop::tree, nccl::Proto::simple)};
    set_stages(schedule, pipeline, {&stage, 1});
    return {pipeline_body(pipeline), channels, false, Evidence::formula_only};
}

LoweredCall plan_collnet(const Call& call, Schedule& schedule) {
    FigureReader& ledger = call.ledger;
    const ProtocolCost cost = protocol_cost(ledger, nccl::Proto::simple);
    const int channels = call.found.channels;
    Pipeline pipeline = network_stream(call, call.bytes / channels, call.release.buffers.collnet_chunk, channels);
    const std::uint64_t edges = std::uint64_t{call.shape.ranks} * call.per_node();
    pipeline.edges =
        add_edges(call, schedule,
                  GeneratedEdges{edges, CollnetEdges{call.fabric, call.found.nics, call.shape.nodes, call.gpu_direct}});
    const nccl::Ring& ring = call.found.rings.front();
    const std::vector<Stage> stages{
        {call.per_node() > 1 ? 2.0 : 0.0, local_hop(call, ring), cost.hop},
        {2, rail_hop(call, ring), network_hop(ledger, NetworkHop::nvls_tree, nccl::Proto::simple)}};
    set_stages(schedule, pipeline, stages);
    return {pipeline_body(pipeline), channels, false, Evidence::formula_only};
}

}  // namespace fabricast
