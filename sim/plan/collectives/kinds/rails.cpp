// All-gather round the rails with a multicast in each node, and reduce-scatter that adds up inside the nodes, sends to
// all peers of the rail and adds up what they sent. GPUs hand their puts to the NICs themselves.

#include "sim/plan/collectives/kinds/rails.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fabricast::inline collectives {

using nccl::RailPick;
using nccl::WindowCall;
using nccl::WindowKernel;

nccl::WindowCall window_call(const CollectiveWorkload& workload, const nccl::Environment& environment,
                             const nccl::TopologySearchResult& found, const Fabric& fabric, double bytes) {
    return {.collective = workload.collective,
            .dtype = workload.dtype,
            .bytes = bytes,
            .ranks = fabric.gpu_count(),
            .gpu = nccl::generation(fabric.node().gpu.compute_capability),
            .multicast = found.nvls_channels > 0 && fabric.gpus_per_node() > 2,
            .kernel = environment.window_kernel,
            .blocks = environment.window_blocks};
}

void visit_rails(const Fabric& fabric, RailPeers peers, double count, const std::function<void(const Edge&)>& visit) {
    const std::uint32_t nodes = fabric.node_count(), per_node = fabric.gpus_per_node();
    for (std::uint32_t node = 0; node < nodes; ++node) {
        for (std::uint32_t step = 1; step < (peers == RailPeers::next ? 2 : nodes); ++step) {
            for (std::uint32_t g = 0; g < per_node; ++g) {
                const DeviceId from = fabric.gpu(node * per_node + g);
                const DeviceId to = fabric.gpu((node + step) % nodes * per_node + g);
                visit({.path = {.src = from,
                                .dst = to,
                                .src_nic = fabric.nearest_nic(from),
                                .dst_nic = fabric.nearest_nic(to),
                                .flow_label = g},
                       .count = count});
            }
        }
    }
}

std::uint64_t rail_edges(const Fabric& fabric, RailPeers peers) {
    return std::uint64_t{fabric.gpu_count()} * (peers == RailPeers::next ? 1 : fabric.node_count() - 1);
}

void visit_pairs_inside(const Fabric& fabric, double count, const std::function<void(const Edge&)>& visit) {
    const std::uint32_t per_node = fabric.gpus_per_node();
    for (std::uint32_t rank = 0; rank < fabric.gpu_count(); ++rank) {
        for (std::uint32_t step = 1; step < per_node; ++step) {
            const std::uint32_t peer = rank / per_node * per_node + (rank + step) % per_node;
            visit({.path = {.src = fabric.gpu(rank), .dst = fabric.gpu(peer)}, .count = count});
        }
    }
}

Duration put_hop(const Call& call, bool by_proxy) {
    return from_seconds(call.ledger.window(by_proxy ? "rails.proxy_hop" : "rails.hop"));
}

namespace {

// What a kernel moves over each edge, in the bytes of one between nodes.
struct Traffic {
    RailPeers peers;
    double shares = 1;                  // of ranks that such an edge carries
    double up = 0, down = 0, pair = 0;  // between each GPU and its switch, or each two GPUs of a node

    double busiest(double gpus) const { return std::max({up, down, pair * (gpus - 1)}); }
};

Traffic traffic(const Call& call, const WindowKernel& kernel) {
    const double gpus = call.per_node(), nodes = call.shape.nodes;
    // Each GPU writes its own share and those that came round its rail once, and gets everybody's.
    if (kernel.collective == Collective::all_gather) {
        const double one = 1 / (nodes - 1);
        return {.peers = RailPeers::next, .shares = nodes - 1, .up = nodes * one, .down = gpus * nodes * one};
    }
    // For its own share and for those of its rail peers, the switch or the GPU reads all GPUs of the node.
    if (kernel.multicast) { return {.peers = RailPeers::all, .up = gpus * nodes, .down = nodes}; }
    return {.peers = RailPeers::all, .pair = nodes};
}

void visit_inside(const Fabric& fabric, const Traffic& t, const std::function<void(const Edge&)>& visit) {
    if (t.pair > 0) { visit_pairs_inside(fabric, t.pair, visit); }
    for (std::uint32_t rank = 0; t.up > 0 && rank < fabric.gpu_count(); ++rank) {
        const DeviceId gpu = fabric.gpu(rank), hub = fabric.nvswitch(rank / fabric.gpus_per_node());
        visit({.path = {.src = gpu, .dst = hub}, .count = t.up});
        visit({.path = {.src = hub, .dst = gpu}, .count = t.down});
    }
}

EdgeSet edges_of(const Call& call, const Traffic& t) {
    const Fabric& fabric = call.fabric;
    const std::uint64_t inside =
        std::uint64_t{fabric.gpu_count()} * ((t.up > 0 ? 2 : 0) + (t.pair > 0 ? fabric.gpus_per_node() - 1 : 0));
    return GeneratedEdges{rail_edges(fabric, t.peers) + inside, [fabric, t](const auto& visit) {
                              visit_rails(fabric, t.peers, 1, visit);
                              visit_inside(fabric, t, visit);
                          }};
}

// All GPUs of all nodes wait for each other before and after an all-gather; those of a reduce-scatter for their node's.
Duration start_of(const Call& call, const WindowCall& asked, const WindowKernel& kernel) {
    const auto told = [&](std::string_view figure) { return call.ledger.window(figure); };
    const Duration inside = from_seconds(nccl::barriers(asked, told));
    if (kernel.collective != Collective::all_gather) { return inside; }
    const nccl::Ring& ring = call.found.rings.front();
    const Duration path = call.fabric.path(rail_hop(call, ring, ring.order.front())).latency;
    return inside + (put_hop(call, call.environment.gin_by_proxy) + path) * 2;
}

LoweredCall plan_rail_kernel(const Call& call, Schedule& schedule) {
    const WindowCall asked = window_call(call.workload, call.environment, call.found, call.fabric, call.bytes);
    const auto plain = [&](std::string_view figure) { return call.ledger.parts().windows->number(figure); };
    const RailPick pick =
        nccl::pick_rail_kernel(asked, call.shape.nodes, nic_rate(call.fabric), call.release, plain).value();
    const Traffic t = traffic(call, *pick.kernel);
    const double share = call.bytes / call.shape.ranks / pick.blocks;
    const bool ring = t.peers == RailPeers::next;
    Pipeline pipeline;
    pipeline.bytes_per_edge = share * t.shares;
    // A ring forwards each put of a share as it comes.
    pipeline.cyclic = ring;
    pipeline.chunk = ring ? share : std::min(share, pick.chunk);
    constexpr int streaming = 16;  // what blocks read and write streams through the switch, whatever the size of a put
    pipeline.slices = ring ? static_cast<int>(std::ceil(share / pick.chunk)) : streaming;
    pipeline.slots = std::ceil(pipeline.bytes_per_edge / pipeline.chunk);  // puts go to the buffers themselves
    pipeline.weight = pick.blocks;
    pipeline.network_wire_ratio = call.ledger.transport("wire");
    const double local = call.ledger.window(fmt::format("rails.local_rate.{}", era(asked)));
    pipeline.edge_rate_cap =
        std::min(pipeline.bytes_per_edge / pick.blocked, local / (t.busiest(call.per_node()) * pick.blocks));
    // A block posts the puts of a chunk to all its peers one after another; the first is part of the hop.
    pipeline.chunk_posting =
        from_seconds(call.ledger.window("rails.post") * (ring ? pipeline.slices - 1 : call.shape.nodes - 2));
    pipeline.start = start_of(call, asked, *pick.kernel);
    const nccl::Ring& rail = call.found.rings.front();
    const Stage between{ring ? t.shares : 1, rail_hop(call, rail, rail.order.front()),
                        put_hop(call, call.environment.gin_by_proxy)};
    LoweredCall lowered =
        streamed(call, schedule, pipeline, edges_of(call, t), {between}, pick.blocks, Evidence::formula_only);
    lowered.inside_crossings = t.busiest(call.per_node());
    lowered.network_crossings = ring ? 1 : call.shape.nodes - 1;
    return lowered;
}

constexpr nccl::AlgorithmModel ring_of_rails{"rails", "rails", Algorithm::ring, true,
                                             nullptr, nullptr, nullptr,         plan_rail_kernel};
constexpr nccl::AlgorithmModel all_of_rails{"rails", "rails", Algorithm::direct, true,
                                            nullptr, nullptr, nullptr,           plan_rail_kernel};

}  // namespace

bool has_rail_kernels(Collective collective, const nccl::Release& release) {
    return (collective == Collective::all_gather && release.number_or_0("rails.gather_chunk") > 0) ||
           (collective == Collective::reduce_scatter && release.number_or_0("rails.scatter_chunk") > 0);
}

std::optional<nccl::Estimate> rail_choice(const WindowCall& call, const Fabric& fabric, const nccl::Release& release,
                                          const nccl::WindowFigure& figure) {
    const auto pick = nccl::pick_rail_kernel(call, fabric.node_count(), nic_rate(fabric), release, figure);
    if (!pick) { return std::nullopt; }
    const bool ring = call.collective == Collective::all_gather;
    return nccl::Estimate{ring ? &ring_of_rails : &all_of_rails, nccl::Proto::simple, pick->seconds};
}

}  // namespace fabricast::inline collectives
