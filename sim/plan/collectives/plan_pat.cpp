#include "sim/plan/collectives/plan_pat.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "sim/plan/collectives/lowered_call.hpp"

namespace fabricast {

namespace {

// PAT sends over distances 1, 2, 4 ...: at each distance it sends the pieces whose binomial trees branch there.
struct PatEdges {
    Fabric fabric;
    std::uint32_t ranks = 1;
    bool forward = true;  // all-gather; reduce-scatter runs the other way
    bool gpu_direct = true;

    void operator()(const std::function<void(const Edge&)>& visit) const {
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

LoweredCall plan_pat(const Call& call, Schedule& schedule) {
    FigureReader& ledger = call.ledger;
    const int channels = nccl::channels_used(call.release, call.found, false, nccl::Proto::simple,
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
    .simple_only = true,
    .graph = [](const TopologySearchResult& found, const NodeBandwidths&) { return found.ring; },
    .runs = [](const TuningCase& c) { return c.gathers() && c.comm.nodes == c.comm.ranks; },  // one GPU per node
    .seconds = seconds,
    .plan = plan_pat};

}  // namespace fabricast
