// Lanes of a link: who goes next, credits of each, and what a lane of its own is good for. NICs 25 GB/s, a packet of
// 4,000 B takes 160 ns; with 26 B around it, it is 63 credits of 64 B.

#include "sim/engines/packet/lanes.hpp"

#include <algorithm>

#include "sim/engines/engine.hpp"
#include "tests/sim/engines/packet/network.hpp"
#include "tests/support/catch.hpp"

namespace fabricast {

namespace {

using testing::packets;
using testing::Pairs;
using testing::rate;
using testing::seconds;
using testing::unit;

constexpr std::int64_t packet_wire = 160'000, latency = 800'000;

// Two hosts on the left and four on the right switch, a trunk for two; only the link to host 0 is oversubscribed.
Fabric two_sides(LinkFamily family) { return testing::drawn({{1, 1, 0, 0, 1, 1}, {{0, 1}}, {}, family, 50}, 2); }

Schedule with_a_victim(const Fabric& fabric) {
    return testing::messages(fabric, {{2, 0}, {4, 0}, {5, 0}, {3, 1}}, 1000 * unit);
}

Packet two_lanes(FlowControl control) {
    Packet options = packets(control);
    options.lanes.count = 2;
    options.lanes.levels = {{.from = ServiceLevel::any, .to = 1, .level = 1}};
    return options;
}

// Four switches in a ring, every flow two cables clockwise.
Schedule clockwise(const Fabric& fabric) {
    Schedule schedule = testing::messages(fabric, {{0, 2}, {1, 3}, {2, 0}, {3, 1}}, 1000 * unit);
    for (std::uint32_t c = 0; c < 4; ++c) {
        PathQuery& query = schedule.connections[c].path;
        const auto goes_clockwise = [&] {
            const Path path = fabric.path(query);
            return fabric.device_name(fabric.ends(path.links[1]).to) == "s" + std::to_string((c + 1) % 4);
        };
        while (!goes_clockwise()) { ++query.flow_label; }
    }
    return schedule;
}

}  // namespace

TEST_CASE("turns go round by weight, and high lanes before others up to their limit") {
    const auto order = [](packet::WeightedRoundRobin turns, std::uint32_t ready, int count) {
        std::string lanes;
        for (int i = 0; i < count; ++i) {
            const std::uint32_t lane = turns.next(ready);
            turns.sent(lane, 4096);
            lanes += std::to_string(lane);
        }
        return lanes;
    };
    CHECK(order(packet::WeightedRoundRobin({128, 64, 64}, 0, 255), 0b111, 8) == "00120012");
    CHECK(order(packet::WeightedRoundRobin({128, 64, 64}, 0, 255), 0b101, 6) == "002002");
    CHECK(order(packet::WeightedRoundRobin({64, 64, 64}, 0b100, 255), 0b111, 4) == "2222");
    CHECK(order(packet::WeightedRoundRobin({64, 64, 64}, 0b100, 2), 0b111, 7) == "2202212");
    CHECK(order(packet::WeightedRoundRobin({64, 64, 64}, 0b100, 0), 0b111, 4) == "2021");
}

TEST_CASE("lanes share a wire by their weights, to the picosecond") {
    const Fabric fabric = testing::star(3, LinkFamily::infiniband);
    const Schedule schedule = testing::messages(fabric, {{1, 0}, {1, 2}}, 300 * unit);
    Packet options = packets();
    options.lanes.count = 2;
    options.lanes.levels = {{.to = 2, .level = 1}};
    options.lanes.weights = {189, 63};  // three packets to one
    const Timeline timeline = replay(options, fabric, schedule);
    // Packet 399 is the last of the first lane.
    CHECK(timeline.kept[0].finish.ps == 399 * packet_wire + latency);
    CHECK(timeline.kept[1].finish.ps == 600 * packet_wire + latency);
    options.lanes.high = {1};
    const Timeline high = replay(options, fabric, schedule);
    CHECK(high.kept[1].finish.ps == 300 * packet_wire + latency);
    CHECK(high.kept[0].finish.ps == 600 * packet_wire + latency);
}

TEST_CASE("service levels are mapped to lanes, and lanes that nobody uses change nothing") {
    const Fabric fabric = testing::star(9, LinkFamily::infiniband);
    Pairs pairs;
    for (std::uint32_t h = 1; h < 9; ++h) {
        pairs.emplace_back(h, h % 3);
        pairs.emplace_back(h, (h + 4) % 9);
    }
    const Schedule schedule = testing::messages(fabric, pairs, 50 * unit + 123);
    for (const FlowControl control : {FlowControl::credits, FlowControl::pfc, FlowControl::lossless}) {
        const Timeline plain = replay(packets(control), fabric, schedule);
        Packet options = packets(control);
        options.lanes.count = 4;
        options.lanes.levels = {{.from = 3, .level = 2}, {.to = 1, .level = 7}};
        options.lanes.of_level = {2, 2, 2, 2, 2, 2, 2, 2};
        const Timeline laned = replay(options, fabric, schedule);
        CHECK(plain.packets->hops == laned.packets->hops);
        for (std::size_t i = 0; i < plain.kept.size(); ++i) { REQUIRE(plain.kept[i].finish == laned.kept[i].finish); }
        options.lanes.of_level = {2, 2, 2, 2, 2, 2, 2, 3};
        CHECK(replay(options, fabric, schedule).kept[0].finish != plain.kept[0].finish);
    }
}

TEST_CASE("cables that are bundled into one link have each a buffer of their own") {
    // Eight pairs over one trunk: a credit comes back 500 ns there, 500 ns back and 9 us after its packet set out.
    Packet options = packets(FlowControl::credits);
    options.credit_delay = nanoseconds(9'000);
    Pairs pairs;
    for (std::uint32_t host = 0; host < 8; ++host) { pairs.emplace_back(host, host + 8); }
    for (const int cables : {1, 2, 4}) {
        testing::Drawing drawing{std::vector<int>(8, 0), {{0, 1}}, {}, LinkFamily::infiniband};
        drawing.attach.resize(16, 1);
        drawing.bundle = cables;
        const Fabric fabric = testing::drawn(drawing, 2);
        const Timeline timeline = replay(options, fabric, testing::messages(fabric, pairs, 160 * unit));
        const int packets_in_loop = cables * (128 * 1024 / 4032);  // a packet takes 63 blocks
        CHECK(to_seconds(timeline.makespan) == Approx(8.0 * 160 / packets_in_loop * 10e-6).epsilon(0.05));
    }
}

TEST_CASE("InfiniBand's credits count blocks of whole packets, of each lane on its own") {
    const Fabric fabric = testing::star(2, LinkFamily::infiniband);
    constexpr std::int64_t count = 120;
    const Schedule one = testing::messages(fabric, {{0, 1}}, count * unit);
    Packet options = packets(FlowControl::credits);
    for (const std::int64_t slots : {1, 2, 3, 4, 5}) {
        for (const std::int64_t more : {0, 4031}) {  // a packet takes 63 blocks
            options.credit_buffer = Bytes{slots * 4032 + more};
            const Time time = replay(options, fabric, one).makespan;
            CHECK(time.ps == (count / slots - 1) * 1'000'000 + (slots - 1) * packet_wire + latency + packet_wire);
        }
    }
    // Two lanes have twice the credits: as two flows of one packet each a loop.
    Schedule two = testing::messages(fabric, {{0, 1}, {1, 0}, {0, 1}}, count * unit);
    options.credit_buffer = Bytes{4032};
    options.lanes.count = 2;
    options.lanes.choice = LaneChoice::level;
    options.lanes.levels = {{.from = 0, .level = 1}};
    const Timeline opposite = replay(options, fabric, two);
    // 300 ns and the wire to a host, 500 ns back.
    CHECK(opposite.kept[1].finish.ps == count * 960'000);
    CHECK(opposite.kept[2].finish.ps == 2 * count * 960'000);  // both on lane 1: one packet a loop
    // IBTA's most, 2,048 blocks, is 32 packets: 25 GB/s over a loop of 5.12 us. Ours is shorter: the line is full.
    options = packets(FlowControl::credits);
    CHECK(replay(options, fabric, one).makespan.ps == count * packet_wire + latency);
    options.credit_delay = nanoseconds(9'240);  // a loop of 10.24 us: half of the line
    const Time half = replay(options, fabric, one).makespan;
    CHECK(half.ps == 3 * 10'240'000 + 23 * packet_wire + latency + packet_wire);  // 120 packets: 32, 32, 32 and 24
}

TEST_CASE("a message of a high lane waits for one packet at each port, not for the queue") {
    const Fabric fabric = testing::star(4, LinkFamily::infiniband);
    Schedule schedule = testing::messages(fabric, {{1, 0}, {3, 0}, {2, 0}}, 500 * unit);
    schedule.transfers[2].bytes = Bytes{unit};
    schedule.transfers[2].start = microseconds(20);
    Packet options = packets(FlowControl::credits);
    const double behind = seconds(replay(options, fabric, schedule), 2) - 20e-6;
    options.lanes.count = 2;
    options.lanes.high = {1};
    options.lanes.levels = {{.from = 2, .level = 1}};
    const double before = seconds(replay(options, fabric, schedule), 2) - 20e-6;
    CHECK(before <= 1e-12 * static_cast<double>(latency + 2 * packet_wire) + 1e-15);
    // Without it: two inputs hold 128 KiB each for this port but what is on its way.
    CHECK(behind > 2 * (131'072 - 2 * unit - rate * 1e-6) / rate);
}

TEST_CASE("a lane of its own frees the victim: credits and pauses of one lane do not hold another") {
    for (const FlowControl control : {FlowControl::credits, FlowControl::pfc}) {
        INFO(to_string(control));
        const LinkFamily family = control == FlowControl::pfc ? LinkFamily::ethernet : LinkFamily::infiniband;
        const Fabric fabric = two_sides(family);
        const Schedule schedule = with_a_victim(fabric);
        Packet one = packets(control);
        Packet two = two_lanes(control);
        for (Packet* options : {&one, &two}) {
            options->buffer = options->nic_buffer = Bytes{200'000};
            options->alpha = 0.25;
            options->xon_offset = Bytes{unit};
        }
        const double alone = 1000.0 * unit / rate;
        const double shared = seconds(replay(one, fabric, schedule), 3);
        const double apart = seconds(replay(two, fabric, schedule), 3);
        // With a lane of its own it has the trunk's other half. In one queue with the flow to host 0 it goes as that
        // goes: at a third of its rate, but for what the switches hold of it.
        CHECK(apart < alone + 2e-6 + 4 * unit / rate);
        const double held = (control == FlowControl::pfc ? 2 * 200e3 : 2 * 131'072.0) / rate;
        CHECK(shared > 3 * alone - held);
    }
}

TEST_CASE("a lane more with each trunk breaks the circle of a ring") {
    for (const FlowControl control : {FlowControl::credits, FlowControl::pfc}) {
        const LinkFamily family = control == FlowControl::pfc ? LinkFamily::ethernet : LinkFamily::infiniband;
        const Fabric fabric = testing::drawn({{0, 1, 2, 3}, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, {}, family}, 4);
        const Schedule schedule = clockwise(fabric);
        Packet options = packets(control);
        options.credit_buffer = Bytes{8 * 4032};
        options.buffer = Bytes{200'000};
        options.alpha = 0.25;
        options.xon_offset = Bytes{unit};
        CHECK_THROWS_WITH(replay(options, fabric, schedule), ContainsSubstring("deadlock of 4 ports"));
        options.lanes.count = 2;
        options.lanes.choice = LaneChoice::hop;
        const Timeline timeline = replay(options, fabric, schedule);
        CHECK(timeline.packets->delivered_bytes == 4 * 1000.0 * unit);
        CHECK(timeline.packets->drops == 0);
    }
}

TEST_CASE("pauses are told again before their quanta are over, and nothing is lost meanwhile") {
    const Fabric fabric = testing::star(2);
    const Schedule schedule = testing::messages(fabric, {{1, 0}}, 100 * unit);
    const LinkId last = fabric.path(schedule.connections[0].path).links[1];
    const std::vector<LinkEvent> events = {{nanoseconds(2'000), last, 0}, {microseconds(202), last, 1}};
    Packet options = packets(FlowControl::pfc);
    options.buffer = Bytes{100'000};
    options.alpha = 0.25;
    const Timeline rarely = replay(options, fabric, schedule, events);
    options.pause_quanta = 4096;  // 4,096 * 64 B at 25 GB/s are 10.5 us, told again after 5.2
    const Timeline often = replay(options, fabric, schedule, events);
    CHECK(often.packets->drops == 0);
    CHECK(often.makespan == rarely.makespan);
    // Paused for nearly 200 us: so many halves, one of them cut off.
    const double halves = to_seconds(often.packets->paused) / (4096 * 64 / rate / 2);
    const auto more = static_cast<double>(often.packets->pauses - rarely.packets->pauses);
    const double once = to_seconds(rarely.packets->paused) / (65535 * 64 / rate / 2);
    CHECK(more >= std::floor(halves) - std::floor(once) - 1);
    CHECK(more <= std::ceil(halves));
}

}  // namespace fabricast
