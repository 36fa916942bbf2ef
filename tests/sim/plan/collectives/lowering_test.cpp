// The same collective lowered as one pipeline and message by message takes the same time where the fabric is uniform.

#include <cmath>

#include "sim/engines/engine.hpp"
#include "sim/plan/collectives/algorithms/program.hpp"
#include "sim/scenario/build.hpp"
#include "tests/sim/plan/collectives/nccl_programs.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;
using namespace fabricast::test;

namespace {

Fabric lowered_node() {
    Scenario s;
    s.cluster.node = "dgx-h100";
    return Fabric(build(s, catalogue()));
}

NodeRing whole_ring(const Fabric& fabric, bool closed) {
    NodeRing ring;
    ring.closed = closed;
    for (std::uint32_t g = 0; g < fabric.gpus_per_node(); ++g) { ring.order.push_back(static_cast<std::uint16_t>(g)); }
    return ring;
}

Unrolling plain(const Fabric& fabric, double piece, Duration overhead) {
    Unrolling as;
    as.bytes = [piece](std::uint32_t) { return piece; };
    as.overhead = [overhead](std::uint32_t, std::uint32_t, double) { return overhead; };
    as.connection = [fabric](std::uint32_t src, std::uint32_t dst) {
        Connection connection;
        connection.path.src = src < fabric.gpu_count() ? fabric.gpu(src) : fabric.nvswitch(0);
        connection.path.dst = dst < fabric.gpu_count() ? fabric.gpu(dst) : fabric.nvswitch(0);
        return connection;
    };
    return as;
}

Duration makespan(const Fabric& fabric, const Schedule& schedule) { return replay(Flow{}, fabric, schedule).makespan; }

Duration unrolled(const Fabric& fabric, const Program& program, double piece, Duration overhead) {
    Schedule schedule;
    unroll(program, plain(fabric, piece, overhead), schedule, {});
    return makespan(fabric, schedule);
}

Duration pipelined(const Fabric& fabric, Pipeline pipeline, EdgeSet edges, Stage stage) {
    Schedule schedule;
    schedule.edge_sets.push_back(std::move(edges));
    stage.hop.src = fabric.gpu(0);
    stage.hop.dst = fabric.gpu(1);
    schedule.stages.push_back(stage);
    pipeline.stage_count = 1;
    schedule.add(pipeline);
    return makespan(fabric, schedule);
}

void check_equal(Duration a, Duration b, std::size_t operations) {
    INFO(a.ps << " ps against " << b.ps << " ps");
    CHECK(std::abs(a.ps - b.ps) <= static_cast<std::int64_t>(operations));  // a picosecond an operation
}

}  // namespace

TEST_CASE("a ring all-reduce is the same as a pipeline and message by message") {
    const Fabric fabric = lowered_node();
    const Program program = ring_all_reduce(8);
    const double piece = 1 << 20;
    const Duration overhead = nanoseconds(1500);
    Pipeline pipeline;
    pipeline.bytes_per_edge = 14 * piece;
    pipeline.chunk = piece;
    pipeline.cyclic = true;
    check_equal(unrolled(fabric, program, piece, overhead),
                pipelined(fabric, pipeline, whole_ring(fabric, true), {14, {}, overhead}), program.messages.size());
}

TEST_CASE("a chain of many pieces is the same as a pipeline and message by message") {
    const Fabric fabric = lowered_node();
    const std::uint32_t pieces = 64;
    const Program program = ring_broadcast(8, 0, pieces);
    const double piece = 1 << 20;
    Pipeline pipeline;
    pipeline.bytes_per_edge = pieces * piece;
    pipeline.chunk = piece;
    check_equal(unrolled(fabric, program, piece, nanoseconds(500)),
                pipelined(fabric, pipeline, whole_ring(fabric, false), {7, {}, nanoseconds(500)}),
                program.messages.size());
}

TEST_CASE("an all-to-all is the same as a pipeline over all pairs and message by message") {
    const Fabric fabric = lowered_node();
    const double piece = 1 << 22;
    Pipeline pipeline;
    pipeline.bytes_per_edge = piece;
    pipeline.chunk = piece;
    check_equal(
        unrolled(fabric, direct_all_to_all(8), piece, {}),
        pipelined(fabric, pipeline, AllPairs{.first = 0, .ranks = 8, .pxn = true, .gpu_direct = true}, {1, {}, {}}),
        56);
}

TEST_CASE("a jittered ring takes as long as its slowest chain of messages, no twice of it") {
    const Fabric fabric = lowered_node();
    const Program program = ring_all_reduce(8);
    const auto jittered = [&](double share) {
        Unrolling as = plain(fabric, 1 << 20, {});
        as.bytes = [share](std::uint32_t piece) { return (1 << 20) * (1 + share * (piece % 2 == 0 ? 1.0 : -1.0)); };
        Schedule schedule;
        unroll(program, as, schedule, {});
        return to_seconds(makespan(fabric, schedule));
    };
    CHECK(jittered(0.1) >= jittered(0));
    CHECK(jittered(0.1) <= 1.1 * jittered(0));
}

TEST_CASE("NVLS moves each link (1 + 1/n) of the buffer each way") {
    const Fabric fabric = lowered_node();
    Schedule schedule;
    const double piece = 1 << 20;
    unroll(nvls_all_reduce(8), plain(fabric, piece, {}), schedule, {});
    const Timeline timeline = replay(Flow{}, fabric, schedule);
    double nvlink = 0;
    for (const ClassUse& use : timeline.classes) { nvlink += use.cls == LinkClass::nvlink ? use.bytes : 0; }
    CHECK(nvlink == Approx(8 * 2 * (8 + 1) * piece));  // 8 GPUs, two directions, 8 pieces and its own share
}
