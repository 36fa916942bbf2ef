// Pipelines: their closed form, and what they share with each other and with kernels.

#include "sim/engines/common/unroll.hpp"
#include "tests/sim/engines/replays.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;
using testing::own_engines;
using testing::times;

TEST_CASE("a collective's channels take SMs and memory bandwidth from the kernels beside it") {
    Cluster cluster = tiny::one_node(2);
    cluster.node.gpu.sms = 100;
    cluster.node.gpu.memory_bandwidth = 1e12;
    const Fabric fabric(cluster);
    Schedule schedule;
    schedule.edge_sets.push_back(EdgeList{{{{.src = fabric.gpu(0), .dst = fabric.gpu(1)}}}});
    Pipeline stream;  // 1 MB at 100 GB/s: from 2 us to 12 us
    stream.bytes_per_edge = stream.chunk = 1e6;
    stream.start = microseconds(2);
    const auto beside = [&](const Occupancy& occupancy, const Compute& kernel) {
        schedule.occupancies = {occupancy};
        stream.occupancy_count = 1;
        schedule.add(stream);
        schedule.add(kernel);
        return times(Flow{}, fabric, schedule)[1].finish;
    };
    // 10 us of arithmetic on the whole device.
    const Compute arithmetic{.device = fabric.gpu(0), .flops = 1e10, .peak = 1e15};
    SECTION("no SMs: the kernel does not notice") {
        CHECK(beside({fabric.gpu(0), 0, 0}, arithmetic) == microseconds(10));
    }
    SECTION("20 of 100 SMs: 2 us alone, then 8 us of work at four fifths") {
        CHECK(beside({fabric.gpu(0), 20, 0}, arithmetic) == microseconds(12));
    }
    SECTION("60 of 100 SMs: 4 us of work by the end of the collective, then alone") {
        CHECK(beside({fabric.gpu(0), 60, 0}, arithmetic) == microseconds(16));
    }
    SECTION("another device's channels are no hindrance") {
        CHECK(beside({fabric.gpu(1), 60, 0}, arithmetic) == microseconds(10));
    }
    SECTION("half of the memory bandwidth: 2 us alone, 5 us of work beside it, the rest alone") {
        CHECK(beside({fabric.gpu(0), 0, 5e6}, {.device = fabric.gpu(0), .bytes = 1e7}) == microseconds(15));
    }
}

TEST_CASE("a pipeline follows its closed form") {
    const Fabric fabric(tiny::one_node(4));
    Schedule schedule;
    schedule.edge_sets.push_back(NodeRing{.nodes = 1, .order = {0, 1, 2, 3}});
    schedule.stages.push_back({6, {.src = fabric.gpu(0), .dst = fabric.gpu(1)}, nanoseconds(500)});
    Pipeline ring;
    ring.bytes_per_edge = 6e6;
    ring.chunk = 1e6;
    ring.cyclic = true;
    ring.stage_count = 1;
    ring.wire_ratio = ring.network_wire_ratio = 1.25;
    ring.weight = 2;
    ring.start = microseconds(3);
    SECTION("a ring: six stages of one chunk and the latency of a hop") {
        // tau = 1 MB * 1.25 / (100 GB/s / 2 channels) = 25 us; stage = 1.5 us + 25 us.
        schedule.add(ring);
        for (const auto& [name, engine] : own_engines) {
            INFO(name);
            const OpTimes t = times(engine, fabric, schedule)[0];
            CHECK(t.finish == nanoseconds(3000 + 6 * 26'500));
            CHECK(t.release == t.finish);
        }
    }
    SECTION("slices hide the latency of all hops but one: the slowest edge takes six chunks, and the last arrives") {
        ring.slices = 2;
        schedule.add(ring);
        for (const auto& [name, engine] : own_engines) {
            INFO(name);
            CHECK(times(engine, fabric, schedule)[0].finish == nanoseconds(3000 + 6 * 25'000 + 1500));
        }
    }
    SECTION("more than the stages go round as well, a hop each") {
        // tau = 250 ns, stage = 1.75 us; the window of eight would let eight go in 2 * 1.5 us + 250 ns.
        ring.chunk = 10e3;
        schedule.add(ring);
        for (const auto& [name, engine] : own_engines) {
            INFO(name);
            CHECK(times(engine, fabric, schedule)[0].finish == nanoseconds(3000 + 600 * 1750));
        }
    }
    SECTION("a chain is released when its stream has left") {
        ring.cyclic = false;
        ring.chunk = 100e3;  // tau = 2.5 us, stage = 4 us
        ring.fill = 2;
        schedule.add(ring);
        const Schedule::Dependency after[] = {{OpId{0}, DependsOn::release}};
        schedule.add(Delay{0, {}}, after);
        for (const auto& [name, engine] : own_engines) {
            INFO(name);
            const std::vector<OpTimes> t = times(engine, fabric, schedule);
            CHECK(t[0].release == nanoseconds(3000 + (1 + 59 + 2) * 2500));
            CHECK(t[0].finish == t[0].release + nanoseconds(6 * 4000 - 2500));
            CHECK(t[1].start == t[0].release);
        }
    }
    SECTION("a stage on a wider link than the slowest fills at its own pace") {
        // A chain of two edges from GPU 0 and one from GPU 1: 50 GB/s and 100 GB/s a channel.
        schedule.edge_sets.push_back(EdgeList{{{.path = {.src = fabric.gpu(0), .dst = fabric.gpu(2)}},
                                               {.path = {.src = fabric.gpu(0), .dst = fabric.gpu(3)}},
                                               {.path = {.src = fabric.gpu(1), .dst = fabric.gpu(1 - 1)}}}});
        schedule.stages = {{1, {.src = fabric.gpu(0), .dst = fabric.gpu(2)}, {}},
                           {1, {.src = fabric.gpu(1), .dst = fabric.gpu(0)}, {}}};
        Pipeline chain;
        chain.edges = 1;
        chain.bytes_per_edge = 10e6;
        chain.chunk = 1e6;
        chain.stage_count = 2;
        schedule.add(chain);
        // tau = 20 us on GPU 0's way out; stages 1 us + 20 us and 1 us + 10 us; then nine chunks.
        for (const auto& [name, engine] : own_engines) {
            INFO(name);
            CHECK(times(engine, fabric, schedule)[0].finish == nanoseconds(21'000 + 11'000 + 9 * 20'000));
        }
    }
    SECTION("a tree's first chunk goes up before it comes down, each way with the links to itself") {
        // A chain 2-1-0 and back: GPU 1's way out carries both, 50 GB/s each.
        const auto edge = [&](std::uint32_t from, std::uint32_t to) {
            return Edge{.path = {.src = fabric.gpu(from), .dst = fabric.gpu(to)}};
        };
        schedule.edge_sets.push_back(EdgeList{{edge(2, 1), edge(1, 0), edge(0, 1), edge(1, 2)}});
        schedule.stages = {{4, {.src = fabric.gpu(1), .dst = fabric.gpu(0)}, {}}};
        Pipeline tree;
        tree.edges = 1;
        tree.bytes_per_edge = 10e6;
        tree.chunk = 1e6;
        tree.stage_count = 1;
        tree.turns = 2;
        schedule.add(tree);
        // tau = 20 us; four hops of 1 us + 10 us, the last of which lies in tau; then nine chunks.
        for (const auto& [name, engine] : own_engines) {
            INFO(name);
            CHECK(times(engine, fabric, schedule)[0].finish == nanoseconds(20'000 + 4 * 11'000 - 10'000 + 9 * 20'000));
        }
    }
    SECTION("what fills it follows the last chunk without a hop of its own, written out as messages too") {
        schedule.stages[0].overhead = microseconds(100);
        ring.fill = 2;
        schedule.add(ring);
        const Duration whole = nanoseconds(3000 + 6 * (25'000 + 101'000) + 2 * 25'000);
        CHECK(times(Flow{}, fabric, schedule)[0].finish == whole);
        const Unrolled written = unroll(fabric, schedule);
        const double messages = to_seconds(replay(Flow{}, fabric, written.schedule).makespan);
        CHECK(messages == Approx(to_seconds(whole)).epsilon(0.01));
    }
    SECTION("a cap and an overhead of the edge bound the chunk") {
        ring.edge_rate_cap = 20e9;
        ring.chunk_overhead = microseconds(1);  // tau = 50 + 1 us
        schedule.add(ring);
        for (const auto& [name, engine] : own_engines) {
            INFO(name);
            CHECK(times(engine, fabric, schedule)[0].finish == nanoseconds(3000 + 6 * 52'500));
        }
    }
}

TEST_CASE("two pipelines on the same edges share them, and the rest of the longer runs at full rate") {
    const Fabric fabric(tiny::one_node(4));
    Schedule schedule;
    schedule.edge_sets.push_back(NodeRing{.nodes = 1, .order = {0, 1, 2, 3}});
    Pipeline p;
    p.bytes_per_edge = 1e6;
    p.chunk = 1e6;
    p.cyclic = true;
    schedule.add(p);
    p.bytes_per_edge = 3e6;
    schedule.add(p);
    // No stages: 10 us and 30 us alone; side by side the first ends at 20 us, the second after 10 + 20 more.
    const std::vector<OpTimes> t = times(Flow{}, fabric, schedule);
    CHECK(t[0].finish == microseconds(20));
    CHECK(t[1].finish == microseconds(40));
}

TEST_CASE("a pipeline that crosses a link several times gets that much less of it") {
    const Fabric fabric(tiny::one_node(4));
    Schedule schedule;
    const PathQuery there{.src = fabric.gpu(0), .dst = fabric.gpu(1)};
    const PathQuery back{.src = fabric.gpu(2), .dst = fabric.gpu(1)};
    schedule.edge_sets.push_back(EdgeList{{{there, 3}, {back, 1}}});
    Pipeline p;
    p.bytes_per_edge = 1e6;
    p.chunk = 1e6;
    p.cyclic = true;
    schedule.add(p);
    for (const auto& [name, engine] : own_engines) {
        INFO(name);
        CHECK(times(engine, fabric, schedule)[0].finish == microseconds(40));
    }
}
