// Double binary trees between the nodes with a chain inside each: reduce up and broadcast down, pipelined.

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/plan/collectives/algorithms/double_tree.hpp"
#include "sim/plan/collectives/lowered_call.hpp"
#include "sim/plan/collectives/nccl_algorithms.hpp"

namespace fabricast::inline collectives {

namespace {

// One tree on one rail; an edge counts as often as channels run on the tree.
struct Tree {
    // Of each run of equal nodes, or of all: a chain of local GPUs, whose first has the edges to other nodes, by a NIC.
    std::vector<nccl::Ring> chains;
    std::uint32_t tree = 0;
    std::uint32_t flow_label = 0;  // of its first channel
    std::uint32_t channels = 1;
};

// Every edge of the tree, in both directions.
void visit_tree(const Tree& tree, const Fabric& fabric, std::uint32_t nodes, bool gpu_direct,
                const std::function<void(const Edge&)>& visit) {
    const auto both_ways = [&](Edge edge) {
        visit(edge);
        std::swap(edge.path.src, edge.path.dst);
        visit(edge);
    };
    const auto chain = [&](std::uint32_t node) -> const nccl::Ring& {
        return tree.chains[tree.chains.size() == 1 ? 0 : fabric.run_of(fabric.wired_node(node))];
    };
    const auto gpu = [&](std::uint32_t node, std::size_t place) {
        return fabric.gpu(node * fabric.gpus_per_node() + chain(node).order[place]);
    };
    for (std::uint32_t node = 0; node < nodes; ++node) {
        Edge edge{.path = {.gpu_direct = gpu_direct},
                  .count = static_cast<double>(tree.channels),
                  .connections = tree.channels};
        for (std::size_t i = 0; i + 1 < fabric.gpus_per_node(); ++i) {
            edge.path.src = gpu(node, i);
            edge.path.dst = gpu(node, i + 1);
            both_ways(edge);
        }
        if (const auto parent = tree_parent(tree.tree, node, nodes)) {
            edge.path.src = gpu(node, 0);
            edge.path.dst = gpu(*parent, 0);
            edge.path.src_nic = chain(node).nic;
            edge.path.dst_nic = chain(*parent).nic;
            edge.path.flow_label = tree.flow_label;
            both_ways(edge);
        }
    }
}

// The trees of all channels as one set. An execution channel below the number of searched channels runs on the first
// tree of its ring's rail, its duplicate on the second.
EdgeSet all_trees(const Call& call, int channels) {
    std::vector<Tree> trees;
    const std::uint32_t nodes = call.shape.nodes;
    const auto searched = static_cast<std::uint32_t>(call.found.rings.size());
    const auto used = static_cast<std::uint32_t>(channels);
    std::uint64_t edges = 0;
    for (std::uint32_t first = 0; first < std::min(used, 2 * searched); ++first) {
        std::vector<nccl::Ring> chains;
        for (const std::vector<nccl::Ring>& of_run : call.found.of_runs) {
            chains.push_back(of_run.empty() ? nccl::Ring{} : of_run[first % searched]);
        }
        if (chains.empty()) { chains.push_back(call.found.rings[first % searched]); }
        trees.push_back(
            {std::move(chains), first < searched ? 0U : 1U, first, 1 + (used - 1 - first) / (2 * searched)});
        edges += 2 * (std::uint64_t{nodes} * (call.per_node() - 1) + nodes - 1);
    }
    return GeneratedEdges{edges, [fabric = call.fabric, trees = std::move(trees), nodes,
                                  gpu_direct = call.gpu_direct](const auto& visit) {
                              for (const Tree& tree : trees) { visit_tree(tree, fabric, nodes, gpu_direct, visit); }
                          }};
}

// Once on its way the first chunk goes behind those of the other channels that its rank's proxy serves: then they
// follow each other from hop to hop.
Stage network_stage(const Call& call, const nccl::Ring& ring, const Pipeline& pipeline, int channels, int served) {
    const double chunk = pipeline.chunk;
    const PathQuery query = rail_hop(call, ring, ring.order.front());
    const double hops = 2.0 * tree_depth(call.shape.nodes);
    const Duration hop = network_hop(call, NetworkHop::tree, call.proto, chunk, (served - 1) / hops) +
                         rest_of_message(call.proto, pipeline, network_pace(call, query, pipeline, channels));
    return {hops, query, hop};
}

// In a tree 70 % of a block's threads reduce and the rest broadcast, each the whole stream, where a ring's do one thing
// (src/device/all_reduce.h, runTreeSplit). With LL128, whose rate goes by threads, that binds. Inside a chain, and at
// the head of one of two nodes, a broadcast reads, keeps and sends on; a leaf, as each of two nodes of one GPU is, does
// two of the three. From three nodes on some head sends to two nodes beside its chain: five in place of three. In one
// node a curve of B300 has half of a ring's rate.
double channel_rate(const Call& call, const ProtocolCost& cost) {
    if (call.proto != nccl::Proto::ll128) { return cost.channel_rate; }
    if (!call.several_nodes()) { return cost.channel_rate / 2; }
    const double nodes_below = call.shape.nodes > 2 ? 2 : 0;
    const double copies = (call.per_node() > 1 ? 3 : 2) + nodes_below;
    return std::min(cost.channel_rate, call.ledger.network("ll128.tree_channel_rate") * 3 / copies);
}

// On the way up 14 of LL128's 20 warps take a chunk, on the way down six. No hop waits for the copies of the busiest
// rank but its own.
int tree_slices(const Call& call, const ProtocolCost& cost, double chunk) {
    if (call.proto == nccl::Proto::simple) { return 1; }
    const int passes = slices(call.proto, chunk, 10);
    return static_cast<int>(std::lround(passes * cost.channel_rate / channel_rate(call, cost)));
}

LoweredCall plan_tree(const Call& call, Schedule& schedule) {
    FigureReader& ledger = call.ledger;
    const int channels = nccl::channels_used(call.release, call.found, false, call.proto, call.workload.collective,
                                             call.shape, call.bytes);
    const ProtocolCost cost = protocol_cost(ledger, call.proto);
    Pipeline pipeline;
    pipeline.bytes_per_edge = call.bytes / channels;
    pipeline.chunk = std::min(pipeline.bytes_per_edge, nccl::tree_chunk(call.release, call.environment, call.proto,
                                                                        call.shape, channels, call.bytes));
    pipeline.slices = tree_slices(call, cost, pipeline.chunk);
    pipeline.slots = call.release.slots();
    pipeline.turns = 2;
    pipeline.edge_rate_cap = channel_rate(call, cost);
    pipeline.wire_ratio = cost.wire;
    pipeline.chunk_overhead = cost.chunk;
    pipeline.start = kernel_start(ledger, call.proto, cost, channels, pipeline.chunk);
    const int served = busiest_proxy(call.found, channels, false);
    if (call.several_nodes()) {
        pipeline.network_wire_ratio = network_wire(ledger, call.proto);
        pipeline.chunk_posting =
            posting_pace(pipeline, posting(call, pipeline.chunk, tree_messages(call.shape.nodes) * served));
    }

    const nccl::Ring& ring = call.found.rings.front();
    std::vector<Stage> stages{
        {2.0 * (call.per_node() - 1), local_hop(call, ring), hop_of(call.proto, cost.hop, pipeline.chunk)}};
    if (call.several_nodes()) { stages.push_back(network_stage(call, ring, pipeline, channels, served)); }
    return streamed(call, schedule, pipeline, all_trees(call, channels), stages, channels);
}

using nccl::Proto;
using nccl::TuningCase;

// The tree keeps the ring's channels; inside the node they may be faster (up to twice the network's speed).
nccl::Graph tree_graph(const nccl::TopologySearchResult& found, const nccl::NodeBandwidths& p) {
    nccl::Graph tree = found.ring;
    tree.ll128 = true;  // a tree may keep to the GPU beside the NIC
    tree.simple_tree = p.several() && p.pxn_exit && p.node.gpu.compute_capability >= 90;
    // In a mesh of four each channel's chain can take its own pairs, so they share the links as a switch's do.
    const bool even = p.node.nvlink == NvlinkShape::nvswitch || (p.node.nvlink == NvlinkShape::mesh && p.gpus <= 4);
    if (p.several() && p.gpus > 1 && even) {
        const double load = found.ring.channels * (p.gpus - 1.0) / p.gpus;
        tree.intra = p.raised(
            tree.intra, [&](double next, double now) { return now < 2 * tree.inter && next * load <= p.nvlink_total; });
    }
    return tree;
}

// NCCL's tuning model of the tree (src/graph/tuning.cc, ncclTopoTuneModel).
double tree_bandwidth(const TuningCase& c, Proto proto) {
    double bus =
        std::min(c.release.number("tree.efficiency") * c.bus(), c.graph.channels * c.of_system("per_channel.tree"));
    if (proto == Proto::ll) {
        bus = std::min(bus * c.release.number("tree_ll.efficiency"), c.ll_limit());
    } else if (proto == Proto::ll128) {
        bus = std::min(bus * c.release.item("tree_ll128.efficiency", c.several() ? 1 : 0),
                       c.graph.channels * c.ll128_channel_limit("per_channel.tree_ll128"));
    }
    return (c.graph.simple_tree ? bus * c.release.number("tree.pattern_efficiency") : bus) * 0.5;
}

double tree_seconds(const TuningCase& c, Proto proto, double bytes) {
    const auto [base, intra, inter] = c.latency(proto);
    const double latency = base + 2 * ((c.per_node() - 1) * intra + c.log2_nodes() * inter);
    return c.seconds(latency, tree_bandwidth(c, proto) * c.correction("tree", proto, bytes), bytes);
}

}  // namespace

constinit const nccl::AlgorithmModel nccl::tree_model{.name = "Tree",
                                                      .key = "tree",
                                                      .word = Algorithm::tree,
                                                      .simple_only = false,
                                                      .graph = tree_graph,
                                                      .runs = [](const TuningCase& c) { return c.all_reduce(); },
                                                      .seconds = tree_seconds,
                                                      .plan = plan_tree};

}  // namespace fabricast::inline collectives
