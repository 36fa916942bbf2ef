// SimGrid as referee. Where the build has none, the engine must say so.

#include <cmath>

#include "sim/engines/common/unroll.hpp"
#include "tests/sim/engines/replays.hpp"
#include "tests/sim/engines/schedules.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/tiny_clusters.hpp"

using namespace fabricast;
using testing::keep_all;
using testing::nics;
using testing::Random;

namespace {

// The largest relative difference of a finish.
double difference(const Engine& a, const Engine& b, const Fabric& fabric, Schedule schedule) {
    schedule = keep_all(std::move(schedule));
    const Timeline one = replay(a, fabric, schedule);
    const Timeline other = replay(b, fabric, schedule);
    REQUIRE(one.kept.size() == other.kept.size());
    double worst = 0;
    for (std::size_t i = 0; i < one.kept.size(); ++i) {
        const double expected = to_seconds(one.kept[i].finish);
        worst = std::max(worst, std::abs(to_seconds(other.kept[i].finish) - expected) / std::max(expected, 1e-9));
    }
    return worst;
}

bool has_simgrid() { return SimGrid::missing().empty(); }

Pipeline pipeline(double chunks, double chunk, bool cyclic) {
    Pipeline p;
    p.chunk = chunk;
    p.bytes_per_edge = chunks * chunk;
    p.cyclic = cyclic;
    p.stage_count = 1;
    return p;
}

// Closed form against chunk by chunk, in the flow engine and in SimGrid.
double unrolled_difference(const Engine& engine, const Fabric& fabric, const Schedule& schedule) {
    const double closed = to_seconds(replay(Flow{}, fabric, schedule).makespan);
    const double chunked = std::holds_alternative<SimGrid>(engine)
                               ? to_seconds(replay(engine, fabric, schedule).makespan)
                               : to_seconds(replay(engine, fabric, unroll(fabric, schedule).schedule).makespan);
    return std::abs(chunked - closed) / closed;
}

}  // namespace

TEST_CASE("SimGrid agrees within 0.1 % on messages that contend") {
    if (!has_simgrid()) { SKIP_TEST("this build has no SimGrid"); }
    FabricSpec spec = tiny::fabric(FabricKind::fat_tree, 8, 3);
    spec.choice = PathChoice::ecmp;
    const Fabric star(tiny::cluster(8, 1, tiny::fabric(FabricKind::single_switch)));
    const Fabric tree(tiny::cluster(14, 1, spec));
    for (const Fabric* fabric : {&star, &tree}) {
        for (const double jitter : {0.0, 0.5}) {
            CHECK(difference(Flow{}, SimGrid{}, *fabric, testing::ring(nics(*fabric), 20, 1'000'000, jitter)) < 1e-3);
            CHECK(difference(Flow{}, SimGrid{}, *fabric, testing::all_to_all(nics(*fabric), 1'000'000, jitter)) < 1e-3);
            CHECK(difference(Flow{}, SimGrid{}, *fabric,
                             testing::all_to_all(nics(*fabric), 1'000'000, jitter, microseconds(300))) < 1e-3);
        }
    }
}

TEST_CASE("SimGrid agrees within 0.1 % on random schedules of messages, delays and kernels") {
    if (!has_simgrid()) { SKIP_TEST("this build has no SimGrid"); }
    Cluster cluster = tiny::two_nodes();
    cluster.node.gpu.sms = 100;
    const Fabric fabric(cluster);
    Random random{5};
    for (int i = 0; i < 5; ++i) {
        Schedule schedule;
        for (std::uint32_t c = 0; c < 8; ++c) {
            const std::uint32_t from = random.below(4);
            Connection connection;
            connection.path = {.src = fabric.gpu(from), .dst = fabric.gpu((from + 1 + random.below(3)) % 4)};
            connection.wire_ratio = 1 + random.below(2);
            connection.rate_cap = random.below(3) == 0 ? 3e9 : std::numeric_limits<double>::infinity();
            schedule.connections.push_back(connection);
        }
        for (std::uint32_t op = 0; op < 60; ++op) {
            std::vector<Schedule::Dependency> after;
            for (std::uint32_t d = random.below(3); d > 0 && op > 0; --d) { after.push_back({OpId{random.below(op)}}); }
            switch (random.below(6)) {
                case 0:
                    schedule.add(Delay{random.below(2), {static_cast<std::int64_t>(random.below(20'000'000))}}, after);
                    break;
                case 1:
                    // One stream a device: kernels side by side are not SimGrid's to judge.
                    schedule.add(Compute{.device = fabric.gpu(random.below(4)), .flops = 1e9, .peak = 1e14}, after);
                    break;
                default:
                    schedule.add(Transfer{random.below(8), {1 + random.below(1'000'000)}, nanoseconds(100)}, after);
            }
        }
        CHECK(difference(Flow{}, SimGrid{}, fabric, schedule) < 1e-3);
    }
}

TEST_CASE("a pipeline of a hundred chunks an edge agrees within 1 % with its chunks, in flow and in SimGrid") {
    std::vector<Engine> engines = {Flow{}};
    if (has_simgrid()) { engines.push_back(SimGrid{}); }
    // Rings inside one node are uniform; a ring of three nodes has nine fast edges and three slow ones.
    const Fabric node(tiny::one_node(4));
    const Fabric three(tiny::cluster(3, 4, tiny::fabric(FabricKind::rail_optimized)));
    Schedule schedule;
    schedule.edge_sets.push_back(NodeRing{.nodes = 1, .order = {0, 1, 2, 3}});
    schedule.stages.push_back({6, {.src = node.gpu(0), .dst = node.gpu(1)}, nanoseconds(500)});
    const Fabric* fabric = &node;
    const auto on_three_nodes = [&] {
        fabric = &three;
        schedule.edge_sets[0] = NodeRing{.nodes = 3, .order = {0, 1, 2, 3}, .exit_nic = 3, .entry_nic = 0};
        schedule.stages[0] = {5.5, {.src = three.gpu(3), .dst = three.gpu(4)}, nanoseconds(500)};
        schedule.stages.push_back({16.5, {.src = three.gpu(0), .dst = three.gpu(1)}, nanoseconds(500)});
    };
    SECTION("a ring, one loop: all of it pays latency") {
        schedule.stages[0].count = 120;
        schedule.add(pipeline(120, 100e3, true));
    }
    SECTION("a ring, many loops") { schedule.add(pipeline(200, 100e3, true)); }
    SECTION("a ring, slices") {
        Pipeline p = pipeline(200, 100e3, true);
        p.slices = 4;
        schedule.add(p);
    }
    SECTION("a ring of several channels, on more wire, under a cap") {
        Pipeline p = pipeline(200, 100e3, true);
        p.weight = 2;
        p.wire_ratio = 1.25;
        p.edge_rate_cap = 38e9;
        p.chunk_overhead = nanoseconds(200);
        schedule.add(p);
    }
    SECTION("a ring bound by its window") {
        Pipeline p = pipeline(400, 10e3, true);
        p.slots = 4;
        schedule.stages[0].overhead = microseconds(4);
        schedule.add(p);
    }
    SECTION("a chain with slices") {
        std::get<NodeRing>(schedule.edge_sets[0]).closed = false;
        schedule.stages[0].count = 3;
        Pipeline p = pipeline(300, 100e3, false);
        p.slices = 2;
        schedule.add(p);
    }
    SECTION("two rings that share everything, one longer") {
        // In step with each other both wait for a hop at once, which the closed form does not see: long chunks.
        schedule.add(pipeline(200, 10e6, true));
        schedule.add(pipeline(400, 10e6, true));
    }
    SECTION("one ring after the other") {
        const OpId first = schedule.add(pipeline(200, 100e3, true));
        const Schedule::Dependency after[] = {{first}};
        schedule.add(pipeline(400, 100e3, true), after);
    }
    SECTION("a ring of three nodes") {
        on_three_nodes();
        Pipeline p = pipeline(220, 1e6, true);
        p.stage_count = 2;
        schedule.add(p);
    }
    SECTION("a ring of three nodes that costs node and network differently") {
        on_three_nodes();
        Pipeline p = pipeline(220, 1e6, true);
        p.wire_ratio = 1.2;
        p.network_wire_ratio = 1.05;
        p.weight = 2;
        p.stage_count = 2;
        schedule.add(p);
    }
    SECTION("a chain of three nodes") {
        on_three_nodes();
        std::get<NodeRing>(schedule.edge_sets[0]).closed = false;
        schedule.stages[0].count = 2;
        schedule.stages[1].count = 9;
        Pipeline p = pipeline(300, 1e6, false);
        p.stage_count = 2;
        schedule.add(p);
    }
    for (const Engine& engine : engines) {
        INFO(engine.index());
        CHECK(unrolled_difference(engine, *fabric, schedule) < 0.01);
    }
}

TEST_CASE("an error in SimGrid's process is reported here, and each replay starts at time zero") {
    if (!has_simgrid()) { SKIP_TEST("this build has no SimGrid"); }
    const Fabric fabric(tiny::one_node());
    Schedule schedule;
    schedule.edge_sets.push_back(NodeRing{.nodes = 1, .order = {0, 1, 2, 3}});
    Pipeline p = pipeline(1e9, 100e3, true);
    p.stage_count = 0;
    schedule.add(p);
    CHECK_THROWS_WITH(replay(SimGrid{}, fabric, schedule),
                      ContainsSubstring("engine simgrid would hold 4e+09 messages"));
    CHECK(has_simgrid());
    std::atomic<bool> stop = true;
    CHECK_THROWS_AS(replay(SimGrid{}, fabric, testing::ring({fabric.gpu(0), fabric.gpu(1)}, 9, 1000), {}, {&stop, {}}),
                    Stopped);
}
