// How often calls begin: by the launch, by the root of a broadcast.

#include "sim/plan/timelines.hpp"
#include "tests/sim/plan/collectives/planned_system.hpp"
#include "tests/support/binary_units.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;
using namespace fabricast::test;

TEST_CASE("broadcast shows the rate at which the root can start it, not its depth") {
    const PlannedSystem broadcast{.node = "dgx-a100", .nccl = "2.8", .collective = Collective::broadcast};
    const PlannedSystem all_reduce{.node = "dgx-a100", .nccl = "2.8"};
    CHECK(seconds_of(broadcast, 8) < 0.6 * seconds_of(all_reduce, 8));
    // The same for four times the nodes: nothing waits for the far end.
    PlannedSystem far = broadcast;
    far.nodes = 4;
    CHECK(seconds_of(far, 8) == Approx(seconds_of(broadcast, 8)).epsilon(0.3));
}

TEST_CASE("broadcasts over channels that go different ways follow each other only when one has arrived") {
    // As NCCL counts it (src/graph/tuning.cc, sameChannels). ABCI measured 0.9 ms for 4 MiB to 64 A100, 2.1 to 128.
    PlannedSystem few{.node = "dgx-a100", .nodes = 2, .nccl = "2.8", .collective = Collective::broadcast};
    PlannedSystem many = few;
    many.nodes = 16;
    CHECK(seconds_of(many, 4 * MiB) > 3 * seconds_of(few, 4 * MiB));
    few.env = many.env = {{"NCCL_MAX_NCHANNELS", "1"}};
    CHECK(seconds_of(many, 4 * MiB) < 1.5 * seconds_of(few, 4 * MiB));
}

TEST_CASE("of broadcasts over channels that go different ways two share the way") {
    const PlannedSystem system{.node = "dgx-v100", .nodes = 8, .nccl = "2.8", .collective = Collective::broadcast};
    const Scenario s = scenario_of(system);
    const Fabric fabric(build(s, catalogue()));
    const CallPlan p = Planner(collective_of(s), fabric, s.library, s.launch, catalogue()).plan(Bytes{16 * MiB});
    REQUIRE(p.channels > 1);
    CHECK(p.under_way == 2);
    const Timeline timeline = replay(Flow{}, fabric, p.schedule);
    const std::vector<OpTimes>& kept = timeline.kept;
    REQUIRE(kept.size() == 4);  // three calls, and the last one's release
    const double alone = to_seconds(kept[2].finish - kept[1].finish), way = to_seconds(kept[2].finish - kept[3].finish);
    CHECK(way > 0.3 * alone);
    CHECK(iteration_time(p, timeline) == Approx(alone - way / 2));
    Scenario waiting = s;  // a framework's next call waits until this one has arrived
    waiting.launch.mode = LaunchMode::framework;
    CHECK(Planner(collective_of(s), fabric, s.library, waiting.launch, catalogue()).plan(Bytes{MiB}).under_way == 1);
}

TEST_CASE("a stream of broadcasts shows a share of a call's start, the larger one of Simple too") {
    PlannedSystem system{.node = "a100-pcie-2x", .nccl = "2.16", .collective = Collective::broadcast};
    const Catalog& catalog = catalogue();
    const auto start = [&](const char* protocol) {
        system.env = {{"NCCL_PROTO", protocol}, {"NCCL_MAX_NCHANNELS", "1"}};
        const Scenario s = scenario_of(system);
        const Fabric fabric(build(s, catalog));
        return to_seconds(Planner(collective_of(s), fabric, s.library, s.launch, catalog)
                              .plan(Bytes{64 * KiB})
                              .schedule.pipelines.front()
                              .start);
    };
    const Part& all = catalog.at("kernel", "nccl-kernels");
    const Part& own = catalog.at("kernel", "nccl-ampere-pcie");
    const double channel = own.number("per_channel"), share = all.number("stream.start");
    CHECK(start("LL") == Approx(share * (own.number("ll.start") + channel + all.number("ll.full_block"))));
    CHECK(start("Simple") == Approx(share * (all.number("simple.start") + channel)));
}

TEST_CASE("a chain's thread of LL takes a line in LL's hop, or as a load from host memory takes") {
    PlannedSystem system{.node = "dgx-v100", .nodes = 8, .nccl = "2.8", .collective = Collective::broadcast};
    const auto rate = [&] {
        const Scenario s = scenario_of(system);
        const Fabric fabric(build(s, catalogue()));
        const CallPlan p = Planner(collective_of(s), fabric, s.library, s.launch, catalogue()).plan(Bytes{16 * KiB});
        REQUIRE(p.protocol == Protocol::ll);
        return p.schedule.pipelines.front().edge_rate_cap;
    };
    constexpr double pass = 64 * 8;  // 64 threads: the fewest
    CHECK(rate() == Approx(pass / catalogue().at("kernel", "nccl-volta-mesh").number("ll.hop")));
    system.env = {{"NCCL_NET_GDR_LEVEL", "LOC"}};
    const double line = catalogue().at("kernel", "nccl-network").number("ll.host_line");
    CHECK(pass / rate() > line);
    CHECK(pass / rate() == Approx(line + 2 * pass / 11e9).epsilon(0.05));  // an EDR port or PCIe 3.0
    // 16 of ABCI's V100 nodes take 28.1 us more for 32 KiB than for 16: 32 lines of 0.88 us
    // (abci2-vnode-16n4g-broadcast).
    CHECK(pass / rate() == Approx(0.88e-6).epsilon(0.2));
}

TEST_CASE("a broadcast's time is the mean of its ranks', or that of the first or the last to end") {
    Scenario s = scenario_of({.node = "dgx-a100", .nodes = 8, .nccl = "2.8", .collective = Collective::broadcast});
    const Fabric fabric(build(s, catalogue()));
    const auto seconds = [&](RankTime average, std::uint32_t root = 0) {
        s.launch.average = average;
        collective_of(s).root = root;
        const CallPlan p = Planner(collective_of(s), fabric, s.library, s.launch, catalogue()).plan(Bytes{1024});
        return iteration_time(p, replay(Flow{}, fabric, p.schedule));
    };
    const double first = seconds(RankTime::min), last = seconds(RankTime::max);
    CHECK(last > 1.2 * first);
    CHECK(seconds(RankTime::mean) == Approx((first + last) / 2));
    CHECK(seconds(RankTime::rank0) == first);
    CHECK(seconds(RankTime::rank0, 3) == seconds(RankTime::mean, 3));  // somewhere between
    collective_of(s).collective = Collective::reduce;
    CHECK(seconds(RankTime::rank0) == seconds(RankTime::max));  // the root of a reduce is last
}

TEST_CASE("one process for all GPUs shows its issue rate while small") {
    PlannedSystem threads{.node = "dgx-a100", .mode = LaunchMode::thread};
    const double per_gpu = catalogue().at("launch", "nccl-tests").number("thread.issue_per_gpu");
    CHECK(seconds_of(threads, 8) == Approx(8 * per_gpu).epsilon(1e-3));
    CHECK(seconds_of(threads, GiB) == Approx(seconds_of({"dgx-a100"}, GiB)).epsilon(1e-6));
    threads.mode = LaunchMode::framework;
    const double gap = catalogue().at("launch", "nccl-tests").number("framework.gap");
    CHECK(seconds_of(threads, GiB) == Approx(seconds_of({"dgx-a100"}, GiB) + gap).epsilon(1e-9));
}

TEST_CASE("a thread a GPU issues at its own rate, and the scenario's count of calls shows where calls overlap") {
    const PlannedSystem threads{
        .node = "dgx-a100", .nccl = "2.8", .collective = Collective::broadcast, .mode = LaunchMode::threads};
    const double per_gpu = catalogue().at("launch", "nccl-tests").number("threads.issue_per_gpu");
    CHECK(seconds_of(threads, 8) >= 8 * per_gpu * (1 - 1e-9));
    const Scenario s = scenario_of(threads);
    const Fabric fabric(build(s, catalogue()));
    const CallPlan p = Planner(collective_of(s), fabric, s.library, s.launch, catalogue()).plan(Bytes{MiB});
    CHECK(p.timed_calls == s.launch.iterations);
    CHECK(p.schedule.kept.size() == 4);  // three calls, and the last one's arrival at the far end
}
