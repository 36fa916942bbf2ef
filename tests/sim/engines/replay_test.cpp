// What each operation costs, on clusters whose figures are round: NVLink 100 GB/s and 1 us a path; NICs 25 GB/s and 800
// ns (two cables of 300 ns, a switch of 200 ns).

#include <cmath>

#include "sim/engines/engine.hpp"
#include "tests/sim/engines/schedules.hpp"
#include "tests/sim/engines/slow_replay.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/tiny_clusters.hpp"

using namespace fabricast;
using testing::Random;

namespace {

struct Named {
    const char* name;
    Engine engine;
};
const std::vector<Named> own_engines = {{"flow", Flow{}}, {"analytic", Analytic{}}};

void keep_all(Schedule& schedule) {
    schedule.kept.clear();
    for (std::uint32_t op = 0; op < schedule.size(); ++op) {
        schedule.kept.push_back(OpId{op});
    }
}

std::vector<OpTimes> times(const Engine& engine, const Fabric& fabric, Schedule schedule) {
    keep_all(schedule);
    return replay(engine, fabric, schedule).kept;
}

Connection between(const Fabric& fabric, std::uint32_t from, std::uint32_t to) {
    Connection connection;
    connection.path.src = fabric.gpu(from);
    connection.path.dst = fabric.gpu(to);
    return connection;
}

std::vector<DeviceId> nics(const Fabric& fabric) {
    std::vector<DeviceId> devices;
    for (std::uint32_t node = 0; node < fabric.node_count(); ++node) {
        devices.push_back(fabric.nic(node, 0));
    }
    return devices;
}

Fabric star(std::uint32_t nodes) { return Fabric(tiny::cluster(nodes, 1, tiny::fabric(FabricKind::single_switch))); }

}  // namespace

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
    SECTION("more than the stages stream, as fast as the window of eight lets them") {
        // tau = 250 ns, stage = 1.75 us; 594 chunks more are 74 windows of 2 * 1.5 us + 250 ns and two chunks.
        ring.chunk = 10e3;
        schedule.add(ring);
        for (const auto& [name, engine] : own_engines) {
            INFO(name);
            CHECK(times(engine, fabric, schedule)[0].finish == nanoseconds(3000 + 6 * 1750 + 74 * 3250 + 2 * 250));
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

TEST_CASE("bytes are conserved: each link class carries what its paths say") {
    const Fabric fabric = star(8);
    const Schedule schedule = testing::all_to_all(nics(fabric), 1'000'000, 0.5);
    double sent = 0;
    for (const Transfer& transfer : schedule.transfers) {
        sent += static_cast<double>(transfer.bytes.count);
    }
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

TEST_CASE("where nothing contends flow equals analytic within a picosecond an operation") {
    const Fabric fabric = star(16);
    Random random{3};
    for (int i = 0; i < 200; ++i) {
        // A shifted permutation: every port sends one stream and receives one.
        Schedule schedule;
        const std::uint32_t shift = 1 + random.below(15);
        for (std::uint32_t node = 0; node < 16; ++node) {
            Connection connection;
            connection.path = {.src = fabric.nic(node, 0), .dst = fabric.nic((node + shift) % 16, 0)};
            connection.wire_ratio = 1 + random.unit();
            schedule.connections.push_back(connection);
        }
        std::vector<int> depth;  // roundings accumulate along a chain of dependencies
        for (std::uint32_t op = 0; op < 100; ++op) {
            std::vector<Schedule::Dependency> after;
            for (std::uint32_t d = random.below(3); d > 0 && op > 0; --d) {
                after.push_back({OpId{random.below(op)}});
            }
            if (random.below(8) == 0) {
                schedule.add(Delay{random.below(4), {static_cast<std::int64_t>(random.below(5'000'000))}}, after);
            } else {
                const Duration start{static_cast<std::int64_t>(random.below(1'000'000))};
                schedule.add(Transfer{random.below(16), {random.below(1'000'000)}, start}, after);
            }
        }
        const std::vector<OpTimes> flow = times(Flow{}, fabric, schedule);
        const std::vector<OpTimes> analytic = times(Analytic{}, fabric, schedule);
        for (std::size_t op = 0; op < flow.size(); ++op) {
            INFO("case " << i << " operation " << op);
            REQUIRE(flow[op].start == analytic[op].start);
            REQUIRE(flow[op].finish == analytic[op].finish);
        }
    }
}

TEST_CASE("under contention flow equals the slow replay of the definition") {
    const Fabric fabric = star(6);
    Random random{4};
    for (int i = 0; i < 40; ++i) {
        Schedule schedule;
        for (std::uint32_t c = 0; c < 12; ++c) {
            const std::uint32_t from = random.below(6);
            Connection connection;
            connection.path = {.src = fabric.nic(from, 0), .dst = fabric.nic((from + 1 + random.below(5)) % 6, 0)};
            connection.wire_ratio = 1 + random.below(2);
            if (random.below(4) == 0) {
                connection.rate_cap = 1e9 * (1 + random.below(10));
            }
            schedule.connections.push_back(connection);
        }
        for (std::uint32_t op = 0; op < 80; ++op) {
            std::vector<Schedule::Dependency> after;
            for (std::uint32_t d = random.below(3); d > 0 && op > 0; --d) {
                after.push_back({OpId{random.below(op)}});
            }
            schedule.add(Transfer{random.below(12), {1 + random.below(1'000'000)}, {}}, after);
        }
        const std::vector<OpTimes> fast = times(Flow{}, fabric, schedule);
        const std::vector<double> slow = testing::SlowReplay(fabric, schedule).run();
        for (std::size_t op = 0; op < fast.size(); ++op) {
            INFO("case " << i << " operation " << op);
            // Each operation may round up by one picosecond, and passes it on.
            REQUIRE(std::abs(to_seconds(fast[op].finish) - slow[op]) < 80e-12);
        }
    }
}

TEST_CASE("where every flow depends on every other the coupled solver equals the slow replay") {
    FabricSpec thin = tiny::fabric(FabricKind::fat_tree, 8, 3);  // leaves of 6 nodes with 2 ways up
    thin.choice = PathChoice::ecmp;
    FabricSpec even = tiny::fabric(FabricKind::fat_tree, 8);
    even.choice = PathChoice::ecmp;
    const FabricSpec specs[] = {tiny::fabric(FabricKind::single_switch), thin, even};
    for (const FabricSpec& spec : specs) {
        const Fabric fabric(tiny::cluster(14, 1, spec));
        for (const Duration latest : {Duration{}, microseconds(200)}) {
            const Schedule schedule = testing::all_to_all(nics(fabric), 400'000, 0.5, latest);
            const std::vector<OpTimes> fast = times(Flow{}, fabric, schedule);
            const std::vector<double> slow = testing::SlowReplay(fabric, schedule).run();
            for (std::size_t op = 0; op < fast.size(); ++op) {
                INFO(to_string(spec.kind) << " starts within " << latest.ps << " ps, operation " << op);
                REQUIRE(std::abs(to_seconds(fast[op].finish) - slow[op]) < 180e-12);
            }
        }
    }
}

TEST_CASE("phases of different kinds follow each other, and each is exact") {
    const Fabric fabric(tiny::cluster(10, 1, tiny::fabric(FabricKind::single_switch)));
    Schedule schedule;
    std::vector<Schedule::Dependency> after;
    for (int phase = 0; phase < 4; ++phase) {
        const bool ring = phase % 2 == 1;
        const Schedule part = ring ? testing::ring(nics(fabric), 18, 100'000, 0.3)
                                   : testing::all_to_all(nics(fabric), 100'000, 0.5, microseconds(20));
        const auto first = static_cast<std::uint32_t>(schedule.size());
        const auto connections = static_cast<std::uint32_t>(schedule.connections.size());
        schedule.connections.insert(schedule.connections.end(), part.connections.begin(), part.connections.end());
        for (std::uint32_t op = 0; op < part.size(); ++op) {
            std::vector<Schedule::Dependency> mine = after;
            for (std::size_t i = 0; i < part.dependency_count(OpId{op}); ++i) {
                mine.push_back({OpId{first + static_cast<std::uint32_t>(part.dependency(OpId{op}, i).op)}});
            }
            Transfer transfer = part.transfers[op];
            transfer.connection += connections;
            schedule.add(transfer, mine);
        }
        after = {{OpId{static_cast<std::uint32_t>(schedule.size() - 1)}}};
    }
    const std::vector<OpTimes> fast = times(Flow{}, fabric, schedule);
    const std::vector<double> slow = testing::SlowReplay(fabric, schedule).run();
    for (std::size_t op = 0; op < fast.size(); ++op) {
        REQUIRE(std::abs(to_seconds(fast[op].finish) - slow[op]) < 400e-12);
    }
}

TEST_CASE("the same schedule twice gives the same times") {
    const Fabric fabric = star(12);
    const Schedule schedule = testing::all_to_all(nics(fabric), 500'000, 0.5, microseconds(100));
    const std::vector<OpTimes> first = times(Flow{}, fabric, schedule);
    const std::vector<OpTimes> second = times(Flow{}, fabric, schedule);
    for (std::size_t op = 0; op < first.size(); ++op) {
        REQUIRE(first[op].finish == second[op].finish);
    }
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

TEST_CASE("a replay stops when asked") {
    const Fabric fabric = star(4);
    const Schedule schedule = testing::ring(nics(fabric), 6, 1'000'000);
    std::atomic<bool> stop = true;
    CHECK_THROWS_AS(replay(Flow{}, fabric, schedule, {}, {&stop, {}}), Stopped);
}

TEST_CASE("completions may be merged on a grid, each late by less than its span") {
    const Fabric fabric = star(8);
    const Schedule schedule = testing::all_to_all(nics(fabric), 1'000'000, 0.5);
    const std::vector<OpTimes> exact = times(Flow{}, fabric, schedule);
    const std::vector<OpTimes> merged = times(Flow{microseconds(1)}, fabric, schedule);
    for (std::size_t op = 0; op < exact.size(); ++op) {
        CHECK(merged[op].finish.ps % microseconds(1).ps == 0);
        CHECK(std::abs(to_seconds(merged[op].finish - exact[op].finish)) < 10e-6);
    }
}
