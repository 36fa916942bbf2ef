// What messages, kernels and delays cost, what is counted, and why a replay may be refused or end early.

#include "tests/sim/engines/replays.hpp"
#include "tests/sim/engines/schedules.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;
using testing::between;
using testing::nics;
using testing::own_engines;
using testing::star;
using testing::times;

TEST_CASE("a message takes its issue cost, the latency of its path and its bytes at the path's rate") {
    const Fabric fabric(tiny::one_node());
    Schedule schedule;
    schedule.connections = {between(fabric, 0, 1)};
    schedule.add(Transfer{0, {100'000}, nanoseconds(250)});
    for (const auto& [name, engine] : own_engines) {
        INFO(name);
        // 100,000 B at 100 GB/s are 1 us.
        CHECK(times(engine, fabric, schedule)[0].finish == nanoseconds(250 + 1000 + 1000));
    }
}

TEST_CASE("protocol flags make a message longer, and a cap makes it slower") {
    const Fabric fabric(tiny::one_node());
    Schedule schedule;
    schedule.connections = {between(fabric, 0, 1), between(fabric, 2, 3)};
    schedule.connections[0].wire_ratio = 2;
    schedule.connections[1].wire_ratio = 2;
    schedule.connections[1].rate_cap = 10e9;
    schedule.add(Transfer{0, {100'000}, {}});
    schedule.add(Transfer{1, {100'000}, {}});
    for (const auto& [name, engine] : own_engines) {
        INFO(name);
        const std::vector<OpTimes> t = times(engine, fabric, schedule);
        CHECK(t[0].finish == microseconds(1 + 2));
        CHECK(t[1].finish == microseconds(1 + 10));
    }
}

TEST_CASE("messages of one connection queue for the link, and their latencies overlap") {
    const Fabric fabric(tiny::one_node());
    Schedule schedule;
    schedule.connections = {between(fabric, 0, 1)};
    schedule.add(Transfer{0, {100'000}, {}});
    schedule.add(Transfer{0, {200'000}, {}});
    schedule.add(Transfer{0, {0}, {}});
    for (const auto& [name, engine] : own_engines) {
        INFO(name);
        const std::vector<OpTimes> t = times(engine, fabric, schedule);
        CHECK(t[0].finish == microseconds(2));
        CHECK(t[1].finish == microseconds(4));
        CHECK(t[2].finish == microseconds(4));
    }
}

TEST_CASE("two flows share a link in half, and the longer has it alone in the end") {
    const Fabric fabric(tiny::one_node());
    Schedule schedule;
    schedule.connections = {between(fabric, 0, 2), between(fabric, 1, 2)};
    schedule.add(Transfer{0, {100'000}, {}});
    schedule.add(Transfer{1, {300'000}, {}});
    const std::vector<OpTimes> t = times(Flow{}, fabric, schedule);
    // 100 kB at 50 GB/s; then 200 kB are left at 100 GB/s.
    CHECK(t[0].finish == microseconds(1 + 2));
    CHECK(t[1].finish == microseconds(1 + 4));
}

TEST_CASE("connections on one path are one class whose members share") {
    const Fabric fabric(tiny::one_node());
    Schedule schedule;
    schedule.connections = {between(fabric, 0, 1), between(fabric, 0, 1), between(fabric, 0, 1)};
    schedule.add(Transfer{0, {100'000}, {}});
    schedule.add(Transfer{1, {200'000}, {}});
    schedule.add(Transfer{2, {300'000}, {}});
    const std::vector<OpTimes> t = times(Flow{}, fabric, schedule);
    CHECK(t[0].finish == microseconds(1 + 3));
    CHECK(t[1].finish == microseconds(1 + 5));
    CHECK(t[2].finish == microseconds(1 + 6));
}

TEST_CASE("a delay holds its host, and hosts do not hold each other") {
    const Fabric fabric(tiny::one_node());
    Schedule schedule;
    schedule.add(Delay{0, microseconds(3)});
    schedule.add(Delay{1, microseconds(1)});
    schedule.add(Delay{0, microseconds(2)});
    for (const auto& [name, engine] : own_engines) {
        INFO(name);
        const std::vector<OpTimes> t = times(engine, fabric, schedule);
        CHECK(t[0].finish == microseconds(3));
        CHECK(t[1].finish == microseconds(1));
        CHECK(t[2].finish == microseconds(5));
    }
}

TEST_CASE("kernels of one stream queue, of two streams share the SMs and the memory") {
    Cluster cluster = tiny::one_node();
    cluster.node.gpu.sms = 100;
    cluster.node.gpu.memory_bandwidth = 1e12;
    const Fabric fabric(cluster);
    const DeviceId gpu = fabric.gpu(0);
    SECTION("one after the other") {
        Schedule schedule;
        schedule.add(Compute{.device = gpu, .flops = 1e9, .peak = 1e15});
        schedule.add(Compute{.device = gpu, .flops = 1e9, .peak = 1e15});
        schedule.add(Compute{.device = gpu, .bytes = 1e6});
        for (const auto& [name, engine] : own_engines) {
            INFO(name);
            const std::vector<OpTimes> t = times(engine, fabric, schedule);
            CHECK(t[0].finish == microseconds(1));
            CHECK(t[1].finish == microseconds(2));
            CHECK(t[2].finish == microseconds(3));
        }
    }
    SECTION("side by side: half of the SMs each, then all") {
        Schedule schedule;
        schedule.add(Compute{.device = gpu, .stream = 0, .flops = 1e9, .peak = 1e15});
        schedule.add(Compute{.device = gpu, .stream = 1, .flops = 2e9, .peak = 1e15});
        const std::vector<OpTimes> t = times(Flow{}, fabric, schedule);
        CHECK(t[0].finish == microseconds(2));
        CHECK(t[1].finish == microseconds(3));
    }
    SECTION("a small kernel leaves the other SMs, and arithmetic leaves the memory") {
        Schedule schedule;
        schedule.add(Compute{.device = gpu, .stream = 0, .sms = 20, .flops = 1e9, .peak = 1e15});
        schedule.add(Compute{.device = gpu, .stream = 1, .sms = 80, .flops = 1e9, .bytes = 1e5, .peak = 1e15});
        schedule.add(Compute{.device = gpu, .stream = 2, .sms = 0, .bytes = 9e5});
        const std::vector<OpTimes> t = times(Flow{}, fabric, schedule);
        // Wants 20, 80 and 100 of 100 SMs: 20, 40, 40. The second then needs 40 GB/s, the third has the other 960;
        // after it the second has its 80 SMs for the 5/8 that are left.
        CHECK(t[0].finish == nanoseconds(5000));
        CHECK(t[1].finish == Duration{937'500 + 781'250});
        CHECK(t[2].finish == Duration{937'500});
    }
}

TEST_CASE("bytes are conserved: each link class carries what its paths say") {
    const Fabric fabric = star(8);
    const Schedule schedule = testing::all_to_all(nics(fabric), 1'000'000, 0.5);
    double sent = 0;
    for (const Transfer& transfer : schedule.transfers) { sent += static_cast<double>(transfer.bytes.count); }
    const Timeline timeline = replay(Flow{}, fabric, schedule);
    REQUIRE(timeline.classes.size() == 1);
    CHECK(timeline.classes[0].cls == LinkClass::nic_port);
    CHECK(timeline.classes[0].bytes == Approx(2 * sent).epsilon(1e-14));
    REQUIRE(timeline.busiest.size() == 16);
    CHECK(timeline.busiest[0].utilisation <= 1);
    CHECK(timeline.busiest[0].utilisation >= timeline.busiest[15].utilisation);
}

TEST_CASE("a link is busy while it carries something") {
    const Fabric fabric(tiny::one_node());
    Schedule schedule;
    schedule.connections = {between(fabric, 0, 1)};
    schedule.add(Transfer{0, {100'000}, {}});
    const Schedule::Dependency after[] = {{OpId{0}}};
    schedule.add(Transfer{0, {200'000}, {}}, after);
    const Timeline timeline = replay(Flow{}, fabric, schedule);
    REQUIRE(timeline.classes.size() == 1);
    CHECK(timeline.classes[0].busy_s == Approx(2 * 3e-6));  // two links
    CHECK(timeline.makespan == microseconds(5));
    CHECK(timeline.busiest[0].utilisation == Approx(3.0 / 5));
}

TEST_CASE("a degraded link slows what crosses it from then on") {
    const Fabric fabric(tiny::one_node());
    Schedule schedule;
    schedule.connections = {between(fabric, 0, 1)};
    schedule.add(Transfer{0, {400'000}, {}});
    const LinkId link = fabric.path(schedule.connections[0].path).links[0];
    // 1 us latency, 2 us at 100 GB/s, and the other 200 kB at 25 GB/s.
    CHECK(replay(Flow{}, fabric, schedule, {{microseconds(3), link, 0.25}}).makespan == microseconds(1 + 2 + 8));
}

TEST_CASE("engines that know no link events refuse them") {
    const Fabric fabric(tiny::one_node());
    Schedule schedule;
    schedule.add(Delay{0, microseconds(1)});
    CHECK_THROWS_AS(replay(Analytic{}, fabric, schedule, {{microseconds(3), LinkId{0}, 0.5}}), MissingEngine);
    CHECK_THROWS_AS(replay(SimGrid{}, fabric, schedule, {{microseconds(3), LinkId{0}, 0.5}}), MissingEngine);
}

TEST_CASE("a run that cannot end names the operation and the link") {
    const Fabric fabric(tiny::one_node());
    Schedule schedule;
    schedule.connections = {between(fabric, 0, 1)};
    schedule.add(Transfer{0, {400'000}, {}});
    const LinkId link = fabric.path(schedule.connections[0].path).links[0];
    CHECK_THROWS_WITH(replay(Flow{}, fabric, schedule, {{microseconds(3), link, 0}}),
                      ContainsSubstring("node0.gpu0 to node0.gpu1") && ContainsSubstring("is down"));
}

TEST_CASE("progress is the share that is done, and all of it where there is nothing to do") {
    std::vector<double> shares;
    Watch watch;
    watch.progress = [&](double share) { shares.push_back(share); };
    for (const std::size_t total : {4U, 0U}) {
        Watching watching(watch);
        std::this_thread::sleep_for(std::chrono::milliseconds(210));
        watching.poll(1, total);
    }
    CHECK(shares == std::vector<double>{0.25, 1});
}

TEST_CASE("a replay stops when asked") {
    const Fabric fabric = star(4);
    const Schedule schedule = testing::ring(nics(fabric), 6, 1'000'000);
    std::atomic<bool> stop = true;
    CHECK_THROWS_AS(replay(Flow{}, fabric, schedule, {}, {&stop, {}}), Stopped);
}
