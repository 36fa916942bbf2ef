// Priority flow control: the headroom formula, and what pauses do to those who are not to blame.

#include "models/ethernet.hpp"
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

std::int64_t most_headroom(const Timeline& timeline) {
    std::int64_t most = 0;
    for (const PortUse& port : timeline.packets->ports) { most = std::max(most, port.most_headroom); }
    return most;
}

Packet small_buffers() {
    Packet options = packets(FlowControl::pfc);
    options.buffer = Bytes{200'000};
    options.nic_buffer = Bytes{200'000};
    options.alpha = 0.25;
    options.xon_offset = Bytes{unit};
    return options;
}

}  // namespace

TEST_CASE("a message whose packets were lost for good cannot end, and the links that lost them are named") {
    // 100 quanta of 64 B take 256 ns, less than a cable's two ways: a pause is over before it can be renewed.
    const Fabric fabric = testing::star(18);
    Packet options = small_buffers();
    options.pause_quanta = 100;
    options.congestion_control = CongestionControl::timely;
    const Schedule schedule = testing::incast(fabric, 17, 100 * unit);
    CHECK_THROWS_WITH(replay(options, fabric, schedule),
                      ContainsSubstring("cannot end: '") && ContainsSubstring("lost packets that nobody sends again"));
}

TEST_CASE("the headroom of the formula loses nothing, a packet less loses one") {
    // 1 sends to 0 until 0's link fails for a while; 0 sends back, so that the pause frame waits for a packet on its
    // way.
    const Fabric fabric = testing::star(2);
    Schedule schedule = testing::messages(fabric, {{1, 0}, {0, 1}}, 100 * unit);
    const LinkId last = fabric.path(schedule.connections[0].path).links[1];
    const std::vector<LinkEvent> events = {{nanoseconds(2'000), last, 0}, {nanoseconds(30'000), last, 1}};
    // Both ways 500 + 300 ns at 25 GB/s, no reaction: 20,000 B; two packets of 4,000 and a frame of 84.
    const std::int64_t formula = 2 * unit + pfc::frame.count + 20'000;
    std::int64_t worst = 0;
    Duration worst_start;
    Packet options = small_buffers();
    for (int offset = 0; offset < 160; offset += 2) {
        schedule.transfers[1].start = nanoseconds(offset);
        const Timeline timeline = replay(options, fabric, schedule, events);
        CHECK(timeline.packets->drops == 0);
        CHECK(timeline.packets->pauses > 0);
        if (most_headroom(timeline) > worst) {
            worst = most_headroom(timeline);
            worst_start = schedule.transfers[1].start;
        }
    }
    CHECK(worst <= formula);
    CHECK(worst > formula - unit);  // the formula is tight to less than a packet
    schedule.transfers[1].start = worst_start;
    options.headroom = static_cast<double>(worst - 1) / static_cast<double>(formula);
    const Timeline lost = replay(options, fabric, schedule, events);
    CHECK(lost.packets->drops > 0);
    CHECK(lost.packets->resent > 0);
}

TEST_CASE("a lossless port has room for whole frames, with what the protocol adds to their payload") {
    const Fabric fabric = testing::star(2);
    Schedule schedule = testing::messages(fabric, {{1, 0}, {0, 1}}, 100 * unit);
    // Seven frames of 4,013 B are more than the formula has for packets of 4,000.
    for (Connection& connection : schedule.connections) { connection.wire_ratio = 1.00325; }
    const LinkId last = fabric.path(schedule.connections[0].path).links[1];
    const std::vector<LinkEvent> events = {{nanoseconds(2'000), last, 0}, {nanoseconds(30'000), last, 1}};
    std::int64_t worst = 0;
    for (int offset = 0; offset < 160; offset += 2) {
        schedule.transfers[1].start = nanoseconds(offset);
        const Timeline timeline = replay(small_buffers(), fabric, schedule, events);
        CHECK(timeline.packets->drops == 0);
        worst = std::max(worst, most_headroom(timeline));
    }
    CHECK(worst > 2 * unit + pfc::frame.count + 20'000);  // more than packets of the payload alone would need
}

TEST_CASE("of bundled cables each may hold its share of a shared buffer, and has its headroom") {
    // Four hosts send over a trunk to one: its input of the second switch holds alpha c (B - used) before it is paused,
    // so alpha c / (1 + alpha c) of the buffer.
    Packet options = small_buffers();
    options.buffer = Bytes{2'000'000};
    for (const int cables : {1, 2, 4}) {
        testing::Drawing drawing{{0, 0, 0, 0, 1}, {{0, 1}}, {}, LinkFamily::ethernet, 100};
        drawing.bundle = cables;
        const Fabric fabric = testing::drawn(drawing, 2);
        const Timeline timeline =
            replay(options, fabric, testing::messages(fabric, {{0, 4}, {1, 4}, {2, 4}, {3, 4}}, 1000 * unit));
        const LinkId last = fabric.path({.src = fabric.nic(0, 0), .dst = fabric.nic(4, 0)}).links[2];
        const auto port = std::ranges::find(timeline.packets->ports, last, &PortUse::link);
        REQUIRE(port != timeline.packets->ports.end());
        const double held = options.alpha * cables / (1 + options.alpha * cables) * 2e6;
        const double headroom = cables * (2 * unit + static_cast<double>(pfc::frame.count)) + cables * 100'000;
        CHECK(static_cast<double>(port->most_queued) > held - 2 * unit);
        CHECK(static_cast<double>(port->most_queued) < held + headroom);
        CHECK(timeline.packets->drops == 0);
    }
}

TEST_CASE("an incast shares its link fairly, and PFC loses nothing") {
    const Fabric fabric = testing::star(9);
    Pairs incast;
    for (std::uint32_t h = 1; h < 9; ++h) { incast.emplace_back(h, 0); }
    const Timeline timeline = replay(small_buffers(), fabric, testing::messages(fabric, incast, 250 * unit));
    CHECK(timeline.packets->drops == 0);
    CHECK(timeline.packets->pauses > 0);
    // One sender is ahead of another by no more than the switch holds for it: alpha of the buffer at most, and the
    // headroom. When the first is done, the others lack no more than that.
    const double all = 8 * 250.0 * unit / rate;
    const Packet options = small_buffers();
    const double share = options.alpha * 200e3;
    const double lead = (share + 2 * unit + static_cast<double>(pfc::frame.count) + 20'000) / rate;
    const double latency = 0.8e-6;
    for (std::size_t i = 0; i < 8; ++i) {
        CHECK(seconds(timeline, i) > all - 7 * lead);
        CHECK(seconds(timeline, i) <= all + latency + 1e-9);
    }
}

TEST_CASE("in a parking lot PFC is fair to ports, not to flows") {
    // Three switches in a row; a host on each sends to one host on the last. The near one gets half, not a third.
    const Fabric fabric = testing::drawn({{2, 2, 1, 0}, {{0, 1}, {1, 2}}, {}}, 3);
    const Schedule schedule = testing::messages(fabric, {{1, 0}, {2, 0}, {3, 0}}, 1000 * unit);
    const double alone = 1000.0 * unit / rate;
    const Timeline timeline = replay(small_buffers(), fabric, schedule);
    // The near sender has half of the link until it is done, at 2 S / C; the link is never idle, so the others end at
    // 3 S / C. Either may be ahead by what the switch holds for it: all of its buffer and a port's headroom at most.
    const double held = (200e3 + 2 * unit + static_cast<double>(pfc::frame.count) + 20'000) / rate;
    const double latency = 2e-6;
    CHECK(seconds(timeline, 0) > 2 * alone - held);
    CHECK(seconds(timeline, 0) < 2 * alone + held + latency);
    for (const std::size_t far : {std::size_t{1}, std::size_t{2}}) {
        CHECK(seconds(timeline, far) > 3 * alone - held);
        CHECK(seconds(timeline, far) < 3 * alone + latency);
    }
}

TEST_CASE("a flow to a free host suffers from a pause meant for others, and is named") {
    // 2 and 3 on the left send to 0 and 1 on the right; 4 and 5 on the right also send to 0. Only 0's link is full.
    const Fabric fabric = testing::drawn({{1, 1, 0, 0, 1, 1}, {{0, 1}}, {}}, 2);
    const Schedule schedule = testing::messages(fabric, {{2, 0}, {4, 0}, {5, 0}, {3, 1}}, 1000 * unit);
    const Timeline paused = replay(small_buffers(), fabric, schedule);
    const Timeline free = replay(packets(), fabric, schedule);
    // Free it shares the trunk in half. Paused it goes as the flow beside it goes, which has a third of host 0's link,
    // but for what two switches hold of it.
    const double alone = 1000.0 * unit / rate;
    CHECK(seconds(free, 3) == Approx(2 * alone).epsilon(0.02));
    CHECK(seconds(paused, 3) > 3 * alone - 2 * 200e3 / rate);
    REQUIRE(paused.packets->victims.size() == 1);
    CHECK(paused.packets->victims[0] == "node3.nic0 -> node1.nic0");
    CHECK(paused.packets->victim_pairs == 1);
    CHECK(free.packets->victims.empty());
}

TEST_CASE("one slow receiver pauses a whole fabric") {
    const Fabric fabric = testing::leaf_spine(16, 8);
    Pairs pairs;
    for (std::uint32_t h = 1; h < 16; ++h) { pairs.emplace_back(h, h < 12 ? 0 : (h + 5) % 16); }
    const Schedule schedule = testing::messages(fabric, pairs, 100 * unit);
    const Path path = fabric.path(schedule.connections[0].path);
    const LinkId into = path.span().back();
    const Timeline usual = replay(small_buffers(), fabric, schedule);
    const Timeline storm = replay(small_buffers(), fabric, schedule, {{nanoseconds(1), into, 0.05}});
    CHECK(storm.packets->drops == 0);
    CHECK(storm.packets->paused > usual.packets->paused * 5);
    std::size_t trunks_paused = 0;
    for (const PortUse& port : storm.packets->ports) {
        trunks_paused += fabric.link(port.link).cls == LinkClass::leaf_spine && port.paused.ps > 0 ? 1 : 0;
    }
    CHECK(trunks_paused >= 2);
    SECTION("a watchdog lets the queues go, at the price of packets") {
        Packet options = small_buffers();
        options.pfc_watchdog = microseconds(20);
        const Timeline barked = replay(options, fabric, schedule, {{nanoseconds(1), into, 0.05}});
        CHECK(barked.packets->watchdog > 0);
        CHECK(barked.packets->paused < storm.packets->paused);
        CHECK(barked.packets->drops > 0);
    }
}

TEST_CASE("of victims that are not listed it is said how many there are") {
    for (const std::uint32_t hosts : {13U, 14U}) {
        testing::Drawing drawing{std::vector<int>(hosts, 1), {{0, 1}}, {}};
        drawing.attach[2] = drawing.attach[3] = 0;
        const Fabric fabric = testing::drawn(drawing, 2);
        Pairs pairs = {{2, 0}, {4, 0}, {5, 0}};
        for (std::uint32_t host = 6; host < hosts; ++host) { pairs.emplace_back(3, host); }
        pairs.emplace_back(3, 1);
        const Timeline paused = replay(small_buffers(), fabric, testing::messages(fabric, pairs, 400 * unit));
        CHECK(paused.packets->victims.size() == 8);
        CHECK(paused.packets->victim_pairs == hosts - 5);
    }
}

TEST_CASE("a dead link is named before those that it paused") {
    const Fabric fabric = testing::leaf_spine(16, 8);
    Pairs pairs;
    for (std::uint32_t h = 1; h < 16; ++h) { pairs.emplace_back(h, 0); }
    const Schedule schedule = testing::messages(fabric, pairs, 100 * unit);
    const Path path = fabric.path(schedule.connections[0].path);
    const LinkId into = path.span().back();
    CHECK_THROWS_WITH(replay(small_buffers(), fabric, schedule, {{Time{}, into, 0}}),
                      ContainsSubstring("cannot end: link " + fabric.link_name(into) + " is down"));
}

TEST_CASE("buffers that wait for each other in a circle are found and named") {
    const auto [fabric, schedule] = testing::circle();
    CHECK_NOTHROW(replay(packets(), fabric, schedule));
    std::string why;
    try {
        replay(small_buffers(), fabric, schedule);
    } catch (const CannotEnd& error) { why = error.what(); }
    CHECK_THAT(why, ContainsSubstring("deadlock of 4 ports"));
    CHECK_THAT(why, ContainsSubstring("s0 -> s1"));
    CHECK_THAT(why, ContainsSubstring("s3 -> s0"));
    // Credits deadlock alike.
    Packet credits = packets(FlowControl::credits);
    credits.credit_buffer = Bytes{8 * unit};
    CHECK_THROWS_AS(replay(credits, fabric, schedule), CannotEnd);
}

TEST_CASE("a buffer never holds more than its bytes, even if a queue may take many times what is free") {
    // Two send to one, whose port takes half of it: 800 kB wait for a while. The checks of each replay look at the
    // buffers (packet/shared.hpp).
    const Fabric fabric = testing::star(3);
    const Schedule schedule = testing::messages(fabric, {{1, 0}, {2, 0}}, 200 * unit);
    Packet options = small_buffers();
    options.alpha = 64;
    options.buffer = Bytes{199'999};  // no whole number of packets
    const Timeline timeline = replay(options, fabric, schedule);
    CHECK(timeline.packets->pauses > 0);
    CHECK(timeline.packets->drops == 0);
}

TEST_CASE("a buffer is filled to the last byte, and a pause ends in time to keep the link busy") {
    // Packets come every 160 ns from 500 ns on, and none leaves before 30 us. Ten fill the buffer; with the next, at
    // 2,100 ns, the sender is told, who hears it 500 ns later: the 17th packet, of 2,560 ns, is the last. The seven in
    // the headroom leave first, then one of the buffer, and nine keep the link busy until more come.
    const Fabric fabric = testing::star(2);
    const Schedule schedule = testing::messages(fabric, {{1, 0}}, 40 * unit);
    const LinkId last = fabric.path(schedule.connections[0].path).links[1];
    Packet options = small_buffers();
    options.alpha = 64;
    options.buffer = Bytes{10 * unit};
    const Timeline timeline =
        replay(options, fabric, schedule, {{nanoseconds(1), last, 0}, {nanoseconds(30'000), last, 1}});
    CHECK(timeline.packets->pauses == 1);
    CHECK(timeline.packets->ports.front().paused.ps == 30'000'000 + 7 * 160'000 - 2'100'000);
    CHECK(most_headroom(timeline) == 7 * unit);
    std::int64_t most_queued = 0;
    for (const PortUse& port : timeline.packets->ports) { most_queued = std::max(most_queued, port.most_queued); }
    CHECK(most_queued == 17 * unit);
    CHECK(timeline.makespan.ps == 30'000'000 + 40 * 160'000 + 300'000);
}

TEST_CASE("what goes the other way waits for the wire time of each PFC frame, and for nothing else") {
    const Fabric fabric = testing::star(3);
    Schedule schedule = testing::messages(fabric, {{1, 0}, {2, 1}}, 100 * unit);
    schedule.transfers[1].bytes = Bytes{2000 * unit};
    const LinkId last = fabric.path(schedule.connections[0].path).links[1];
    const Timeline timeline = replay(small_buffers(), fabric, schedule, {{nanoseconds(1), last, 0.1}});
    REQUIRE(timeline.packets->pauses > 3);
    // Each pause is followed by its end; none is so long that it is told again. 84 B at 25 GB/s are 3.36 ns.
    CHECK(timeline.kept[1].finish.ps == 2000 * 160'000 + 800'000 + 2 * timeline.packets->pauses * 3'360);
}

}  // namespace fabricast
