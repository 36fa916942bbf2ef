// What a replay is held against: right ones pass, and each check sees the one figure that was made wrong.

#include "sim/engines/common/checks.hpp"

#include "sim/engines/common/accounting.hpp"
#include "tests/sim/engines/replays.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

struct Replayed {
    Fabric fabric = testing::star(3);
    Schedule schedule;
    Timeline timeline;

    // A message, one that waits for it, and a pipeline beside them.
    Replayed() {
        schedule.connections = {testing::between(fabric, 0, 1), testing::between(fabric, 1, 2)};
        const OpId first = schedule.add(Transfer{0, Bytes{1'000'000}, {}});
        const Schedule::Dependency after[] = {{first}};
        schedule.add(Transfer{1, Bytes{500'000}, nanoseconds(100)}, after);
        schedule.edge_sets.push_back(NodeRing{.nodes = 3, .order = {0}, .exit_nic = 0, .entry_nic = 0});
        schedule.stages.push_back({4, {.src = fabric.gpu(0), .dst = fabric.gpu(1)}, nanoseconds(500)});
        Pipeline pipeline;
        pipeline.chunk = 10'000;
        pipeline.bytes_per_edge = 400'000;
        pipeline.cyclic = true;
        pipeline.stage_count = 1;
        pipeline.wire_ratio = 2;
        pipeline.network_wire_ratio = 1.25;
        pipeline.weight = 2;
        schedule.add(pipeline);
        schedule = testing::keep_all(std::move(schedule));
        timeline = replay(Flow{}, fabric, schedule);
    }

    void check() const {
        check_capacity(timeline, fabric);
        check_schedule(schedule);
        check_times(schedule, timeline);
        check_bytes(schedule, timeline, fabric);
    }
};

// Each replay ends a picosecond later than the one before.
struct Drifting {
    static constexpr EngineTraits traits{
        .name = "drifting", .about = "another answer each time", .memory = memory_of_links};
    int* times;
};

Timeline replay_task(const Drifting& engine, const ReplayTask&) {
    Timeline timeline;
    timeline.makespan = Time{++*engine.times};
    return timeline;
}

}  // namespace

TEST_CASE("a right replay passes its checks, in each engine that counts links") {
    Replayed replayed;
    CHECK_NOTHROW(replayed.check());
    replayed.timeline = replay(Analytic{}, replayed.fabric, replayed.schedule);
    CHECK_NOTHROW(check_times(replayed.schedule, replayed.timeline));
    CHECK_NOTHROW(check_bytes(replayed.schedule, replayed.timeline, replayed.fabric));
}

TEST_CASE(
    "no replay ends before its fullest link has carried the payload alone, of the widest framing that crosses it") {
    const Fabric fabric(tiny::two_nodes());
    Schedule schedule;
    Pipeline pipeline;
    pipeline.wire_ratio = 2;
    pipeline.network_wire_ratio = 1.25;
    schedule.pipelines = {pipeline};
    const auto least = [&](DeviceId src, DeviceId dst) {
        Timeline timeline;
        timeline.makespan = Time{} + microseconds(100);
        const Path path = fabric.path({.src = src, .dst = dst});
        timeline.busiest = {{.link = path.span().front(), .utilisation = 0.5}};
        return 1e6 * least_seconds(schedule, timeline, fabric);
    };
    CHECK(least(fabric.gpu(0), fabric.gpu(1)) == Approx(50 / 2.0));
    CHECK(least(fabric.nic(0, 0), fabric.nic(1, 0)) == Approx(50 / 1.25));
    schedule.connections.resize(1);
    schedule.connections[0].wire_ratio = 4;
    CHECK(least(fabric.gpu(0), fabric.gpu(1)) == Approx(50 / 4.0));
    CHECK(least(fabric.nic(0, 0), fabric.nic(1, 0)) == Approx(50 / 4.0));
}

TEST_CASE("a byte too many or too few is seen") {
    Replayed replayed;
    for (const double change : {1e-5, -1e-5}) {
        Replayed other;
        for (ClassUse& use : other.timeline.classes) {
            if (use.cls == LinkClass::nic_port) { use.bytes *= 1 + change; }
        }
        CHECK_THROWS_AS(other.check(), std::logic_error);
    }
    replayed.timeline.classes.pop_back();
    CHECK_THROWS_AS(replayed.check(), std::logic_error);
}

TEST_CASE("an effect before its cause is seen") {
    Replayed early;
    early.timeline.kept[1].start = early.timeline.kept[0].finish - Duration{1};
    CHECK_THROWS_AS(early.check(), std::logic_error);
    Replayed backwards;
    backwards.timeline.kept[2].release = backwards.timeline.kept[2].finish + Duration{1};
    CHECK_THROWS_AS(backwards.check(), std::logic_error);
    Replayed late;
    late.timeline.makespan = late.timeline.kept[2].finish - Duration{1};
    CHECK_THROWS_AS(late.check(), std::logic_error);
}

TEST_CASE("a link above its capacity is seen") {
    Replayed replayed;
    replayed.timeline.busiest.front().utilisation = 1.00001;
    CHECK_THROWS_AS(replayed.check(), std::logic_error);
}

TEST_CASE("a replay that comes out otherwise when it is done again is seen") {
    const Replayed first;
    CHECK(short_enough_to_repeat(first.schedule, first.timeline));
    CHECK_NOTHROW(check_repeated(first.timeline, Replayed().timeline));
    const auto refused = [&](auto&& change) {
        Replayed other;
        change(other.timeline);
        CHECK_THROWS_AS(check_repeated(first.timeline, other.timeline), std::logic_error);
    };
    refused([](Timeline& t) { t.makespan = t.makespan + Duration{1}; });
    refused([](Timeline& t) { t.kept[1].release = t.kept[1].release + Duration{1}; });
    refused([](Timeline& t) { t.kept.pop_back(); });
    refused([](Timeline& t) { t.classes.front().bytes += 1; });
}

TEST_CASE("a schedule of many operations, many paths or many packets is not done again") {
    Schedule many;
    for (std::uint32_t i = 0; i <= 1000; ++i) { many.add(Delay{i, nanoseconds(1)}); }
    CHECK_FALSE(short_enough_to_repeat(many, {}));
    Schedule crossing;
    crossing.edge_sets.push_back(AllPairs{.first = 0, .ranks = 40, .pxn = false});  // 1,560 edges
    Pipeline all;
    all.bytes_per_edge = all.chunk = 1;
    crossing.add(all);
    CHECK_FALSE(short_enough_to_repeat(crossing, {}));
    Timeline packets;
    packets.packets.emplace().hops = 20'001;
    CHECK_FALSE(short_enough_to_repeat(Schedule{}, packets));
    CHECK(short_enough_to_repeat(Schedule{}, {}));
}

TEST_CASE("every short replay is done twice") {
    const Replayed replayed;
    int times = 0;
    CHECK_THROWS_WITH(replay<std::variant<Drifting>>(Drifting{&times}, replayed.fabric, replayed.schedule),
                      "this replay is wrong: the makespan is 1, and again 2");
    CHECK(times == 2);
}

TEST_CASE("tests check every replay") { CHECK(checking()); }
