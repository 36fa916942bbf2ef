// CollNet: the network's switches reduce. No measurements are published: its forecasts rest on the formula only.

#include <algorithm>

#include "sim/plan/collectives/lowered_call.hpp"
#include "sim/plan/collectives/nccl_algorithms.hpp"
#include "topologies/trays.hpp"

namespace fabricast::inline collectives {

namespace {

// Inside a node every GPU scatters to the heads and gathers from them; each head sends its share to the network once
// and receives the sum once, which loads its NIC as one pass of a ring around the nodes would.
EdgeSet collnet_edges(const Call& call) {
    const auto visit_all = [fabric = call.fabric, rails = call.found.nics, nodes = call.shape.nodes,
                            gpu_direct = call.gpu_direct](const auto& visit) {
        const std::uint32_t per_node = fabric.gpus_per_node();
        const Trays trays(fabric.node());
        for (std::uint32_t node = 0; node < nodes; ++node) {
            for (std::uint32_t head = 0; head < per_node; ++head) {
                Edge edge{.path = {.src = fabric.gpu(node * per_node + head), .gpu_direct = gpu_direct},
                          .count = 2.0 / per_node};
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
    };
    return GeneratedEdges{std::uint64_t{call.shape.ranks} * call.per_node(), visit_all};
}

LoweredCall plan_collnet(const Call& call, Schedule& schedule) {
    FigureReader& ledger = call.ledger;
    const ProtocolCost cost = protocol_cost(ledger, nccl::Proto::simple);
    const int channels = call.found.channels;
    const Pipeline pipeline =
        network_stream(call, call.bytes / channels, call.release.number("collnet.chunk"), channels);
    const nccl::Ring& ring = call.found.rings.front();
    const std::vector<Stage> stages{{call.per_node() > 1 ? 2.0 : 0.0, local_hop(call, ring), cost.hop},
                                    {2, rail_hop(call, ring, ring.order.back()),
                                     network_hop(call, NetworkHop::tree, nccl::Proto::simple, pipeline.chunk)}};
    return streamed(call, schedule, pipeline, collnet_edges(call), stages, channels, Evidence::formula_only);
}

// NCCL's tuning model of both forms (src/graph/tuning.cc, ncclTopoTuneModel).

using nccl::Proto;
using nccl::TuningCase;

nccl::Graph direct_graph(const nccl::TopologySearchResult& found, const nccl::NodeBandwidths& p) {
    if (p.node.nvlink != NvlinkShape::nvswitch) { return {}; }
    nccl::Graph direct = found.ring;
    direct.channels = static_cast<int>(std::max<std::size_t>(p.rails.size(), 1));
    return direct;
}

bool direct_runs(const TuningCase& c) {
    const bool serves = c.all_reduce() || (c.gathers() && c.release.flags.collnet_direct_gathers);
    return serves && c.comm.collnet && c.several() && c.comm.nvswitch && c.per_node() <= 8;
}

double direct_bandwidth(const TuningCase& c) {
    if (c.gathers()) { return c.per_node() * std::min(c.graph.intra, 0.9 * c.graph.inter); }
    // CollNetDirect needs a NIC for each GPU to reach full speed.
    const double gpus_per_nic = c.per_node() / c.graph.channels;
    return c.bus(c.graph.intra) / (gpus_per_nic - (gpus_per_nic - 1) / 2) *
           (c.comm.compute_capability >= 90 ? c.release.entry->number_or("collnet_direct.efficiency", 1) : 1) * 0.5;
}

double direct_seconds(const TuningCase& c, Proto proto, double bytes) {
    const auto [base, intra, inter] = c.latency(proto);
    const double others = c.per_node() - 1;
    const double latency =
        base + 2 * (std::min(1.0, others) * intra + others * c.release.number_or_0("collnet_direct.arity_latency")) +
        inter;
    return c.seconds(latency, direct_bandwidth(c), bytes);
}

double chain_seconds(const TuningCase& c, Proto proto, double bytes) {
    const auto [base, intra, inter] = c.latency(proto);
    const double latency = base + 2 * (c.per_node() - 1) * intra + inter;
    return c.seconds(latency, c.bus(c.graph.intra) * c.release.entry->number_or("collnet_chain.efficiency", 1) * 0.5,
                     bytes);
}

}  // namespace

constinit const nccl::AlgorithmModel nccl::collnet_direct_model{.name = "CollNetDirect",
                                                                .key = "collnet_direct",
                                                                .word = Algorithm::collnet,
                                                                .graph = direct_graph,
                                                                .runs = direct_runs,
                                                                .seconds = direct_seconds,
                                                                .plan = plan_collnet};

constinit const nccl::AlgorithmModel nccl::collnet_chain_model{
    .name = "CollNetChain",
    .key = "collnet_chain",
    .word = Algorithm::collnet,
    .runs = [](const TuningCase& c) { return c.all_reduce() && c.comm.collnet && c.several(); },
    .seconds = chain_seconds,
    .plan = plan_collnet};

}  // namespace fabricast::inline collectives
