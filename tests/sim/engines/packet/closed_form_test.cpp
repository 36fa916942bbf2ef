// Where nothing contends the packet engine equals the closed form of docs/packet.md to the picosecond.

#include <cmath>

#include "sim/engines/engine.hpp"
#include "tests/sim/engines/packet/network.hpp"
#include "tests/support/catch.hpp"

namespace fabricast {

namespace {

using testing::packets;
using testing::unit;

constexpr std::int64_t wire = 160'000;                // ps of a full packet at 25 GB/s
constexpr std::int64_t up = 500'000, down = 300'000;  // latencies of NIC to switch (with the switch) and back

Time makespan(const Fabric& fabric, const Schedule& schedule, const Packet& options) {
    return replay(options, fabric, schedule).makespan;
}

}  // namespace

TEST_CASE("one packet over one switch takes its latencies and its wire time once, cut through") {
    const Fabric fabric = testing::star(2);
    const Schedule schedule = testing::messages(fabric, {{0, 1}}, unit);
    for (const FlowControl control :
         {FlowControl::lossless, FlowControl::pfc, FlowControl::credits, FlowControl::lossy}) {
        CHECK(makespan(fabric, schedule, packets(control)).ps == up + down + wire);
    }
}

TEST_CASE("stored and forwarded it takes its wire time on every link") {
    const Fabric fabric = testing::star(2);
    Packet options = packets();
    options.cut_through = false;
    CHECK(makespan(fabric, testing::messages(fabric, {{0, 1}}, unit), options).ps == up + down + 2 * wire);
    CHECK(makespan(fabric, testing::messages(fabric, {{0, 1}}, 10 * unit), options).ps == up + down + 11 * wire);
}

TEST_CASE("a message of n packets follows its head") {
    const Fabric fabric = testing::star(2);
    // 10 full packets and one of 1,000 B, 40 ns.
    const Schedule schedule = testing::messages(fabric, {{0, 1}}, 10 * unit + 1000);
    CHECK(makespan(fabric, schedule, packets()).ps == up + down + 10 * wire + 40'000);
    Packet stored = packets();
    stored.cut_through = false;
    CHECK(makespan(fabric, schedule, stored).ps == up + down + 11 * wire + 40'000);
}

TEST_CASE("over a slower last link packets wait for it, over a faster one their tails for the slower before") {
    const Fabric fabric = testing::drawn({{0, 0}, {}, {50, 25}}, 1);
    constexpr std::int64_t fast = 80'000;
    const Time to_slow = makespan(fabric, testing::messages(fabric, {{0, 1}}, 4 * unit), packets());
    CHECK(to_slow.ps == up + down + 4 * wire);
    const Time to_fast = makespan(fabric, testing::messages(fabric, {{1, 0}}, 4 * unit), packets());
    CHECK(to_fast.ps == up + down + 4 * wire);
    Packet stored = packets();
    stored.cut_through = false;
    CHECK(makespan(fabric, testing::messages(fabric, {{0, 1}}, 4 * unit), stored).ps == up + down + fast + 4 * wire);
}

TEST_CASE("every kind of link of a node keeps the closed form") {
    const Fabric fabric(tiny::cluster(2, 2, tiny::fabric(FabricKind::single_switch)));
    for (const PathKind transport : {PathKind::automatic, PathKind::p2p, PathKind::host_staged, PathKind::network}) {
        for (const std::uint32_t to : {1U, 2U}) {
            if (to == 2 && transport != PathKind::automatic && transport != PathKind::network) { continue; }
            Schedule schedule;
            Connection connection;
            connection.path = {.src = fabric.gpu(0), .dst = fabric.gpu(to), .kind = transport};
            schedule.connections.push_back(connection);
            schedule.add(Transfer{0, {unit}, nanoseconds(70)});
            const Path path = fabric.path(connection.path);
            // Into a faster link only when the rest is sure to come in time; the last link's own wire time at the end.
            std::int64_t before = 0;
            std::int64_t waited = 0;
            for (const LinkId link : path.span()) {
                if (!fabric.ends(link).resource) {
                    const std::int64_t own = std::llround(unit * 1e12 / fabric.link(link).capacity);
                    waited += std::max<std::int64_t>(0, before - own);
                    before = own;
                }
            }
            const std::int64_t slowest = waited + before;
            for (const FlowControl control : {FlowControl::lossless, FlowControl::credits}) {
                Packet options = packets(control);
                options.island_flow_control = control;
                CHECK(makespan(fabric, schedule, options).ps == 70'000 + path.latency.ps + slowest);
            }
        }
    }
}

TEST_CASE("messages of a connection queue, and a capped one keeps its pace") {
    const Fabric fabric = testing::star(2);
    Schedule schedule = testing::messages(fabric, {{0, 1}}, unit);
    schedule.add(Transfer{0, {unit}, {}});
    CHECK(makespan(fabric, schedule, packets()).ps == up + down + 2 * wire);
    schedule.connections[0].rate_cap = 5e9;  // a packet every 800 ns
    CHECK(makespan(fabric, schedule, packets()).ps == up + down + 800'000 + wire);
}

TEST_CASE("dependencies are met at the picosecond at which the last byte arrives") {
    const Fabric fabric = testing::star(3);
    Schedule schedule = testing::messages(fabric, {{0, 1}, {1, 2}}, unit);
    Schedule chained;
    chained.connections = schedule.connections;
    const OpId first = chained.add(Transfer{0, {unit}, {}});
    const OpId pause = chained.add(Delay{7, nanoseconds(3)}, std::vector<Schedule::Dependency>{{first}});
    chained.add(Transfer{1, {unit}, nanoseconds(11)}, std::vector<Schedule::Dependency>{{pause}});
    CHECK(makespan(fabric, chained, packets()).ps == 2 * (up + down + wire) + 14'000);
}

TEST_CASE("a link that changes or fails in time is obeyed, and a failed one named") {
    const Fabric fabric = testing::star(2);
    const Schedule schedule = testing::messages(fabric, {{0, 1}}, 10 * unit);
    const LinkId last = fabric.path(schedule.connections[0].path).links[1];
    // From 500 ns + 2 packets on the last link has half its rate.
    const LinkEvent halves{{up + 2 * wire}, last, 0.5};
    CHECK(replay(packets(), fabric, schedule, {halves}).makespan.ps == up + down + 2 * wire + wire + 7 * 2 * wire);
    const LinkEvent fails{{up + 2 * wire}, last, 0};
    CHECK_THROWS_WITH(replay(packets(), fabric, schedule, {fails}), ContainsSubstring(fabric.link_name(last)));
    const LinkEvent heals{{up + 20 * wire}, last, 1};
    CHECK(replay(packets(), fabric, schedule, {fails, heals}).makespan.ps == up + down + 20 * wire + 7 * wire);
}

TEST_CASE("kernels share a device as in the flow engine") {
    const Fabric fabric(tiny::one_node(2));
    Schedule schedule;
    for (const std::uint16_t stream : {std::uint16_t{0}, std::uint16_t{1}, std::uint16_t{1}}) {
        Compute kernel;
        kernel.device = fabric.gpu(0);
        kernel.stream = stream;
        kernel.flops = 1e9 * (1 + stream);
        kernel.peak = 1e15;
        schedule.kept.push_back(schedule.add(kernel));
    }
    const Timeline flow = replay(Flow{}, fabric, schedule);
    const Timeline packet = replay(packets(), fabric, schedule);
    for (std::size_t i = 0; i < flow.kept.size(); ++i) {
        CHECK(std::abs(flow.kept[i].finish.ps - packet.kept[i].finish.ps) <= 2);
    }
}

TEST_CASE("what waits for a message that others delayed begins when it is whole, whatever follows on its connection") {
    // By 10,510 ns 251 packets of 40 ns from each of two have come to the switch for GPU 0, and then a message of one:
    // it leaves as the 503rd. GPU 0 answers at once, after the packet of another flow that it is sending and the next.
    const Fabric fabric(tiny::one_node(6));
    constexpr std::int64_t each = 40'000, way = 500'000;
    for (const std::int64_t following : {0, 1000}) {
        INFO(following << " packets follow");
        Schedule schedule;
        const auto send = [&](std::uint32_t from, std::uint32_t to) {
            schedule.connections.push_back({{.src = fabric.gpu(from), .dst = fabric.gpu(to)}});
            return static_cast<std::uint32_t>(schedule.connections.size() - 1);
        };
        for (const std::uint32_t from : {1U, 2U}) { schedule.add(Transfer{send(from, 0), {500 * unit}, {}}); }
        schedule.add(Transfer{send(0, 5), {1000 * unit}, nanoseconds(30)});
        const std::uint32_t delayed = send(3, 0);
        const OpId late = schedule.add(Transfer{delayed, {unit}, nanoseconds(10'010)});
        if (following > 0) { schedule.add(Transfer{delayed, {following * unit}, {}}); }
        schedule.kept.push_back(late);
        schedule.kept.push_back(
            schedule.add(Transfer{send(0, 4), {unit}, {}}, std::vector<Schedule::Dependency>{{late}}));
        const Timeline timeline = replay(packets(), fabric, schedule);
        const std::int64_t whole = way + 503 * each + way;
        CHECK(timeline.kept[0].finish.ps == whole);
        const std::int64_t next = 30'000 + ((whole - 30'000) / each + 1) * each;
        CHECK(timeline.kept[1].finish.ps == next + each + way + way + each);
    }
}

}  // namespace fabricast
