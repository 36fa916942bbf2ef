#include "sim/plan/collectives/kinds/copies.hpp"

#include "sim/plan/collectives/kinds/p2p.hpp"
#include "sim/plan/collectives/path_rules.hpp"

namespace fabricast::inline collectives {

namespace {

// Every pair, or all others and the root.
EdgeSet copy_edges(const Call& call) {
    const Collective collective = call.workload.collective;
    if (collective == Collective::all_gather || collective == Collective::all_to_all) {
        return AllPairs{.first = 0, .ranks = call.shape.ranks, .pxn = false};
    }
    return star_edges(call, collective == Collective::gather, false);
}

// A GPU's copies are one batch of one stream and follow each other (src/ce_coll.cc, ncclCeAlltoAll), its own share
// among them; a barrier by memory operations stands before the batch and behind it.
LoweredCall plan_copies(const Call& call, Schedule& schedule) {
    FigureReader& ledger = call.ledger;
    const double share = call.bytes / call.shape.ranks;
    const double remote = call.workload.collective == Collective::gather ? 1 : call.shape.ranks - 1;
    const PathQuery pair = local_hop(call, call.found.rings.front());
    Pipeline pipeline;
    pipeline.bytes_per_edge = pipeline.chunk = share;
    pipeline.wire_ratio = ledger.window("copy_engine.wire");
    pipeline.edge_rate_cap = narrowest(call.fabric, call.fabric.path(pair)) / (pipeline.wire_ratio * remote);
    double seconds = ledger.window("copy_engine.start") + ledger.window("copy_engine.per_copy") * remote;
    if (!call.workload.in_place) {  // read and written in the GPU's own memory
        seconds += ledger.window("copy_engine.per_copy") + 2 * share / call.fabric.node().gpu.memory_bandwidth;
    }
    pipeline.start = from_seconds(seconds);
    constexpr int no_channels = 0;
    LoweredCall lowered =
        streamed(call, schedule, pipeline, copy_edges(call), {{1, pair, {}}}, no_channels, Evidence::formula_only);
    lowered.inside_crossings = remote;
    return lowered;
}

constexpr nccl::AlgorithmModel model{"copy_engine", "copy_engine", Algorithm::direct, true,
                                     nullptr,       nullptr,       nullptr,           plan_copies};

}  // namespace

bool copies(const CollectiveWorkload& workload, const nccl::Environment& environment, const nccl::Version& version,
            int compute_capability, std::uint32_t ranks, double bytes) {
    using enum Collective;
    const Collective collective = workload.collective;
    const bool implemented =
        collective == all_gather || collective == all_to_all || collective == gather || collective == scatter;
    if (!implemented || version < nccl::Version{2, 28, 0}) { return false; }
    if (environment.zero_cta) { return true; }
    const double elements = bytes / ranks / static_cast<double>(size_of(workload.dtype));
    return collective == all_gather && version >= nccl::Version{2, 29, 2} && compute_capability >= 100 &&
           elements > environment.copy_threshold;
}

nccl::Estimate by_copy_engine() { return {&model, nccl::Proto::simple, 0}; }

}  // namespace fabricast::inline collectives
