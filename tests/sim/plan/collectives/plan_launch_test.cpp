// How often calls begin: by the launch, by the root of a broadcast.

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
