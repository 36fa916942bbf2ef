// PAT, for one GPU per node. There are no published measurements of it, so its forecasts rest on the formula only.

#include <bit>

#include "sim/plan/collectives/lowered_call.hpp"
#include "sim/plan/collectives/nccl_algorithms.hpp"

namespace fabricast::inline collectives {

namespace {

// PAT sends over distances 1, 2, 4 ...: at each distance it sends the pieces whose binomial trees branch there.
// `forward`: all-gather; reduce-scatter runs the other way.
EdgeSet pat_edges(const Call& call, std::uint32_t distances, bool forward) {
    const std::uint32_t ranks = call.shape.ranks;
    const auto visit_all = [fabric = call.fabric, ranks, forward, gpu_direct = call.gpu_direct](const auto& visit) {
        for (std::uint32_t distance = 1; distance < ranks; distance *= 2) {
            const std::uint32_t pieces = (ranks - 1 - distance) / (2 * distance) + 1;
            for (std::uint32_t r = 0; r < ranks; ++r) {
                const DeviceId near = fabric.gpu(r);
                const DeviceId far = fabric.gpu((r + distance) % ranks);
                visit(Edge{.path = {.src = forward ? near : far,
                                    .dst = forward ? far : near,
                                    .flow_label = distance,
                                    .gpu_direct = gpu_direct},
                           .count = static_cast<double>(pieces) / (ranks - 1)});
            }
        }
    };
    return GeneratedEdges{std::uint64_t{ranks} * distances, visit_all};
}

LoweredCall plan_pat(const Call& call, Schedule& schedule) {
    const int channels = nccl::channels_used(call.release, call.found, false, nccl::Proto::simple,
                                             call.workload.collective, call.shape, call.bytes);
    const std::uint32_t ranks = call.shape.ranks;
    const Pipeline pipeline = network_stream(
        call, call.bytes * (ranks - 1) / ranks / channels,
        nccl::pat_chunk(call.release, call.environment, call.workload.collective, channels, call.bytes), channels);
    const bool forward = call.workload.collective == Collective::all_gather;
    const auto distances = static_cast<std::uint32_t>(std::bit_width(ranks - 1));
    const nccl::Ring& ring = call.found.rings.front();
    const Stage stage{static_cast<double>(distances), rail_hop(call, ring, ring.order.back()),
                      network_hop(call, NetworkHop::tree, nccl::Proto::simple, pipeline.chunk)};
    return streamed(call, schedule, pipeline, pat_edges(call, distances, forward), {stage}, channels,
                    Evidence::formula_only);
}

double seconds(const nccl::TuningCase& c, nccl::Proto proto, double bytes) {
    const auto [base, intra, inter] = c.latency(proto);
    const double latency = base + c.log2_nodes() * inter / 3.5 + c.ranks() * 2.8e-6;  // src/graph/tuning.cc
    return c.seconds(latency, c.bus() * c.release.entry->number_or("pat.efficiency", 1), bytes);
}

}  // namespace

constinit const nccl::AlgorithmModel nccl::pat_model{
    .name = "PAT",
    .key = "pat",
    .word = Algorithm::pat,
    .runs = [](const TuningCase& c) { return c.gathers() && c.comm.nodes == c.comm.ranks; },  // one GPU per node
    .seconds = seconds,
    .plan = plan_pat};

}  // namespace fabricast::inline collectives
