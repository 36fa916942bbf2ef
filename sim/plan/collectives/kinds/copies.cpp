// Collectives by the GPUs' copy engines: no kernel.

#include <algorithm>

#include "sim/plan/collectives/kinds/p2p.hpp"
#include "sim/plan/collectives/kinds/rails.hpp"
#include "sim/plan/collectives/kinds/windows.hpp"
#include "sim/plan/collectives/path_rules.hpp"

namespace fabricast::inline collectives {

namespace {

// Every pair, or all others and the root. Between nodes an all-gather goes along the rails, and each GPU copies what it
// has and what came to the others of its node.
EdgeSet copy_edges(const Call& call) {
    const Collective collective = call.workload.collective;
    if (collective == Collective::all_gather && call.several_nodes()) {
        const Fabric& fabric = call.fabric;
        const std::uint64_t inside = std::uint64_t{fabric.gpu_count()} * (fabric.gpus_per_node() - 1);
        return GeneratedEdges{rail_edges(fabric, RailPeers::all) + inside, [fabric](const auto& visit) {
                                  visit_rails(fabric, RailPeers::all, 1, visit);
                                  visit_pairs_inside(fabric, fabric.node_count(), visit);
                              }};
    }
    if (collective == Collective::all_gather || collective == Collective::all_to_all) {
        return AllPairs{.first = 0, .ranks = call.shape.ranks, .pxn = false};
    }
    return star_edges(call, collective == Collective::gather, false);
}

// What a GPU's stream copies: to how many peers of its node, and of how many ranks each.
struct Copies {
    double peers = 0, shares = 1;
    double count() const { return peers * shares; }
};

Copies copies_of(const Call& call) {
    const Collective collective = call.workload.collective;
    const double peers = collective == Collective::gather ? 1 : call.per_node() - 1;
    return {peers, collective == Collective::all_gather ? static_cast<double>(call.shape.nodes) : 1};
}

// Threads of the hosts put what goes to other nodes, after a barrier along the rails (ncclHierCeAllGather, -AlltoAll).
Stage put_between_nodes(const Call& call, Pipeline& pipeline) {
    const nccl::Ring& ring = call.found.rings.front();
    const PathQuery hop = rail_hop(call, ring, ring.order.front());
    const Duration put = put_hop(call, true);
    const bool gathers = call.workload.collective == Collective::all_gather;
    constexpr double longest_put = 64 << 20;  // HIER_COLL_MAX_CHUNK_SIZE
    pipeline.chunk = std::min(pipeline.bytes_per_edge, longest_put);
    pipeline.network_wire_ratio = call.ledger.transport("wire");
    pipeline.chunk_posting =
        posting(call, pipeline.chunk, gathers ? call.shape.nodes - 1 : call.shape.ranks - call.per_node());
    pipeline.start += put + call.fabric.path(hop).latency;
    return {1, hop, put};
}

// A GPU's copies are one batch of one stream and follow each other (src/ce_coll.cc, ncclCeAlltoAll), its own share
// among them; a barrier by memory operations stands before the batch and behind it.
LoweredCall plan_copies(const Call& call, Schedule& schedule) {
    FigureReader& ledger = call.ledger;
    const double share = call.bytes / call.shape.ranks;
    const Copies copied = copies_of(call);
    const PathQuery pair = local_hop(call, call.found.rings.front());
    Pipeline pipeline;
    pipeline.bytes_per_edge = pipeline.chunk = share;
    pipeline.wire_ratio = ledger.window("copy_engine.wire");
    if (copied.count() > 0) {
        pipeline.edge_rate_cap =
            narrowest(call.fabric, call.fabric.path(pair)) / (pipeline.wire_ratio * copied.count());
    }
    double seconds = ledger.window("copy_engine.start") + ledger.window("copy_engine.per_copy") * copied.count();
    if (!call.workload.in_place) {  // read and written in the GPU's own memory
        seconds += ledger.window("copy_engine.per_copy") + 2 * share / call.fabric.node().gpu.memory_bandwidth;
    }
    pipeline.start = from_seconds(seconds);
    const Stage stage = call.several_nodes() ? put_between_nodes(call, pipeline) : Stage{1, pair, {}};
    constexpr int no_channels = 0;
    LoweredCall lowered =
        streamed(call, schedule, pipeline, copy_edges(call), {stage}, no_channels, Evidence::formula_only);
    lowered.inside_crossings = copied.count();
    if (call.several_nodes()) { lowered.network_crossings = call.shape.nodes - 1; }
    return lowered;
}

constexpr nccl::AlgorithmModel model{"copy_engine", "copy_engine", Algorithm::direct, true,
                                     nullptr,       nullptr,       nullptr,           plan_copies};

}  // namespace

bool copies(const CollectiveWorkload& workload, const nccl::Environment& environment, const nccl::Release& release,
            const Fabric& fabric, double bytes) {
    using enum Collective;
    const Collective collective = workload.collective;
    const bool between_nodes = fabric.node_count() > 1;
    const bool either = collective == all_gather || collective == all_to_all;
    if (environment.zero_cta) {
        return between_nodes ? either && release.flags.copies_between_nodes
                             : (either || collective == gather || collective == scatter) && release.flags.copy_engines;
    }
    const double elements = bytes / fabric.gpu_count() / static_cast<double>(size_of(workload.dtype));
    return collective == all_gather && !between_nodes && release.flags.copies_large_gathers &&
           fabric.node().gpu.compute_capability >= 100 && elements > environment.copy_threshold;
}

nccl::Estimate by_copy_engine() { return {&model, nccl::Proto::simple, 0}; }

}  // namespace fabricast::inline collectives
