// Rings and all pairs as MSCCL's interpreter runs them in one node: thread blocks that send chunk after chunk, a step
// of the program each. The call is cut into loops, in each of which every block takes all its steps in order.
//
// A program's channels share the ranks' pieces in turn: of n ranks with c channels a block sends its own piece and
// those of the ranks c, 2c ... hops before it. A piece may pass on before it has arrived whole, but a block does one
// thing at a time: from hop to hop it takes the larger of `forward` and 1/c of its own time. So the last piece that a
// block sends in a loop starts c floor((n-2)/c) hops after its own, and the next loop one piece later. Instances are
// copies of the program, each with its part of every piece. (MSCCL, src/collectives/device/msccl_interpreter.h; MSCCL's
// tools, allgather_ring.py and allgather_allpairs.py: the channel of a piece is its rank modulo the channels.)

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/plan/collectives/plan_call.hpp"

namespace fabricast::inline collectives {

namespace {

struct MscclProgram {
    bool ring = false;
    double pieces_sent = 0;  // by a block, in a loop
    double hops = 1;         // of a piece, one after the other
    double later = 0;        // times of a piece until the last one of a block starts
    double forward = 1;      // times of a piece from one hop to the next
    double passes = 1;       // 2: all-reduce, which scatters and then gathers
};

MscclProgram program_of(const Call& call, const std::string& proto) {
    const double n = call.shape.ranks;
    MscclProgram program;
    program.passes = call.workload.collective == Collective::all_reduce ? 2 : 1;
    program.ring = call.workload.algorithm == Algorithm::msccl_ring;
    program.pieces_sent = 1;
    if (program.ring) {
        const double c = std::min<double>(call.workload.channels, n);
        program.forward = std::max(call.ledger.msccl(proto + ".forward"), 1 / c);
        program.later = c * std::floor((n - 2) / c) * program.forward;
        program.hops = n - 1;
        program.pieces_sent = (n - 1) / c;
    }
    return program;
}

EdgeSet edges_of(const Call& call, const MscclProgram& program) {
    if (!program.ring) { return AllPairs{.first = 0, .ranks = call.shape.ranks, .pxn = false}; }
    NodeRing ring;
    ring.order.resize(call.shape.ranks);
    std::iota(ring.order.begin(), ring.order.end(), std::uint16_t{0});
    return ring;
}

void refuse_unserved(const Call& call) {
    const Collective collective = call.workload.collective;
    const bool served = collective == Collective::all_reduce || collective == Collective::all_gather ||
                        collective == Collective::reduce_scatter;
    if (!served) {
        throw PlanError(fmt::format("{} has no form of {}; it has all_reduce, all_gather and reduce_scatter",
                                    to_string(call.workload.algorithm), to_string(collective)));
    }
    if (call.several_nodes()) {
        throw PlanError(fmt::format("{} is known inside one node only; this cluster has {}",
                                    to_string(call.workload.algorithm), call.shape.nodes));
    }
}

bool measured_on(const Call& call) {
    const double measured = call.ledger.parts().msccl->number("compute_capability");
    return call.fabric.node().gpu.compute_capability == static_cast<int>(measured);
}

}  // namespace

LoweredCall plan_msccl(const Call& call, Schedule& schedule) {
    refuse_unserved(call);
    FigureReader& ledger = call.ledger;
    const std::string proto(to_string(nccl::scenario_protocol(call.proto)));
    const MscclProgram program = program_of(call, proto);
    const double n = call.shape.ranks;
    const double instances = call.workload.instances;
    // A ring's channels carry different pieces; between two peers of all pairs there is one.
    const double channels = instances * (program.ring ? std::min<double>(call.workload.channels, n) : 1);
    const double loops = std::max(1.0, std::ceil(call.bytes / ledger.msccl(proto + ".loop")));
    const double piece = call.bytes / (n * instances * loops) / ledger.msccl(proto + ".block_rate");  // seconds
    const double loop = (program.later + 1) * piece;
    const double alone = program.hops * program.forward * piece + (1 - program.forward) * piece;
    Pipeline pipeline;
    pipeline.bytes_per_edge = program.passes * program.pieces_sent * call.bytes / (n * instances);
    pipeline.chunk = pipeline.bytes_per_edge / (program.passes * loops);
    pipeline.slots = program.passes * loops;
    pipeline.edge_rate_cap = pipeline.chunk / loop;
    pipeline.wire_ratio = program.ring ? 1 : ledger.msccl("pairs_wire");
    pipeline.weight = channels;
    pipeline.start = from_seconds(ledger.msccl(proto + ".start") + (program.passes > 1 ? ledger.msccl("sync") : 0));
    // What a loop takes from its first piece to its last is longer than a loop follows the one before.
    const double way = program.passes * (program.hops * ledger.msccl(proto + ".hop") + std::max(0.0, alone - loop));
    const PathQuery hop{.src = gpu_at_pace(call, 0), .dst = gpu_at_pace(call, 1)};
    LoweredCall lowered =
        streamed(call, schedule, pipeline, edges_of(call, program), {Stage{1, hop, from_seconds(way)}},
                 static_cast<int>(channels), measured_on(call) ? Evidence::same_family : Evidence::formula_only);
    lowered.inside_crossings = program.ring || call.fabric.node().nvlink == NvlinkShape::mesh ? 1 : n - 1;
    return lowered;
}

}  // namespace fabricast::inline collectives
