// InfiniBand's congestion control, losses against their formula, polarised hashes.

#include <cmath>
#include <set>

#include "sim/engines/engine.hpp"
#include "sim/engines/packet/controller.hpp"
#include "tests/sim/engines/packet/network.hpp"
#include "tests/support/catch.hpp"

namespace fabricast {

namespace {

using testing::packets;
using testing::Pairs;
using testing::rate;
using testing::seconds;
using testing::unit;

}  // namespace

TEST_CASE("CCTI rises with each BECN and falls by one a timer, and delays a packet by so many of its times") {
    const InfinibandControl o;
    packet::InfinibandRate flow(o, rate);
    CHECK(flow.rate(o) == rate);
    for (int i = 1; i <= 7; ++i) {
        flow.on_notice(o, 1000);
        CHECK(flow.rate(o) == rate / (1 + i));
    }
    const packet::Ps timer = o.timer.ps;
    flow.advance(o, 1000 + timer - 1);
    CHECK(flow.index() == 7);
    flow.advance(o, 1000 + 3 * timer);
    CHECK(flow.index() == 4);
    for (int i = 0; i < 1000; ++i) { flow.on_notice(o, 1000 + 3 * timer); }
    CHECK(flow.index() == o.limit);
    flow.advance(o, 1000 + 1000 * timer);
    CHECK(flow.index() == o.least);
    CHECK(flow.rate(o) == rate);
}

TEST_CASE("InfiniBand's congestion control marks at the root alone and frees the victim") {
    // The trunk has room for both its flows; only the link to host 0 is full, and 3 to 1 waits behind 2 to 0.
    const Fabric fabric = testing::drawn({{1, 1, 0, 0, 1, 1}, {{0, 1}}, {}, LinkFamily::infiniband, 50}, 2);
    const Schedule schedule = testing::messages(fabric, {{2, 0}, {4, 0}, {5, 0}, {3, 1}}, 5'000 * unit);
    Packet options = packets(FlowControl::credits);
    const Timeline without = replay(options, fabric, schedule);
    options.congestion_control = CongestionControl::infiniband;
    const Timeline with = replay(options, fabric, schedule);
    CHECK(with.packets->marks > 0);
    CHECK(with.packets->notices == with.packets->marks);
    for (const PortUse& port : with.packets->ports) {
        if (fabric.link_name(port.link) != "s1 -> node0.nic0") { CHECK(port.marks == 0); }
    }
    // Without it the victim goes as the flow before it goes, at a third of its rate but for what lanes hold of it. With
    // it, it is held until the buffers on the way (128 KiB at each of two switches) have drained once at a third.
    const double alone = 5'000.0 * unit / rate;
    const double buffers = 2 * 131'072.0 / rate;
    CHECK(seconds(without, 3) > 3 * alone - buffers);
    CHECK(seconds(with, 3) < alone + 3 * buffers);
}

TEST_CASE("the table's entries bound what an incast carries under InfiniBand's control") {
    // At index N - 1 each, N senders fill the link; at 2 N - 1 they have half of it, no queue stands, nobody marks, and
    // every timer takes one off: in the long run they carry more than half.
    for (const std::uint32_t senders : {4U, 8U, 16U, 24U}) {
        const Fabric fabric = testing::star(senders + 1, LinkFamily::infiniband);
        Pairs pairs;
        for (std::uint32_t h = 1; h <= senders; ++h) { pairs.emplace_back(h, 0); }
        Packet options = packets(FlowControl::credits);
        options.congestion_control = CongestionControl::infiniband;
        options.infiniband.timer = microseconds(100);
        const auto took = [&](std::int64_t count) {
            return to_seconds(
                replay(options, fabric, testing::messages(fabric, pairs, count / senders * unit)).makespan);
        };
        const double carried = 120'000.0 * unit / (took(240'000) - took(120'000));
        CHECK(carried <= rate * 1.0001);
        CHECK(carried > rate / 2);
    }
}

TEST_CASE("go-back-N's goodput under random loss is the formula's, selective repeat's what arrives") {
    // 5 us each way: a loss is known when the next packet has come and the NAK is back; all sent meanwhile is wasted.
    FabricSpec spec = tiny::fabric(FabricKind::single_switch);
    spec.link = tiny::link(LinkFamily::ethernet, 25, microseconds(5));
    const Fabric fabric(tiny::cluster(2, 1, spec));
    constexpr std::int64_t count = 100'000;
    const Schedule schedule = testing::messages(fabric, {{0, 1}}, count * unit);
    const double way = to_seconds(fabric.path(schedule.connections[0].path).latency);
    const double wire = unit / rate;
    for (const double loss : {0.0005, 0.002, 0.008}) {
        INFO("loss " << loss);
        Packet options = packets(FlowControl::lossless);
        options.loss = loss;
        options.retransmit_timeout = microseconds(100);
        const double both = 1 - (1 - loss) * (1 - loss);  // two links
        const double window = (2 * way + 2 * wire) / wire;
        const Timeline back = replay(options, fabric, schedule);
        const double goodput = static_cast<double>(count) * wire / to_seconds(back.makespan);
        // Half of the window lost to a loss on the second link is the same as to one on the first: numbers, not
        // places. A repeated packet lost again costs a timeout.
        const double extra = both * (to_seconds(options.retransmit_timeout) / wire);
        const double formula = (1 - both) / (1 - both + both * (window + extra));
        // Losses are counted: three standard deviations of their number.
        const double three_sigma = 3 / std::sqrt(both * count) * (1 - formula);
        CHECK(goodput == Approx(formula).epsilon(three_sigma + 0.02));
        options.recovery = LossRecovery::selective_repeat;
        const Timeline selective = replay(options, fabric, schedule);
        const double kept = static_cast<double>(count) * wire / to_seconds(selective.makespan);
        CHECK(kept > goodput);
        CHECK(kept == Approx(1 - both).epsilon(3 * std::sqrt(both / count) + 0.02));
    }
}

TEST_CASE("what a loss finds on its way to the adapter is not sent again as waste, and does not pile up") {
    // GPUs behind PCIe that is twice as fast as the cable: without credits a whole message queues at the adapter.
    FabricSpec spec = tiny::fabric(FabricKind::single_switch);
    spec.link = tiny::link(LinkFamily::ethernet, 25, microseconds(5));
    const Fabric fabric(tiny::cluster(2, 1, spec));
    constexpr std::int64_t count = 100'000;
    Schedule schedule;
    schedule.connections.push_back(
        {{.src = fabric.gpu(0), .dst = fabric.gpu(1), .flow_label = 0, .kind = PathKind::network}});
    schedule.add(Transfer{0, {count * unit}, {}});
    Packet options = packets(FlowControl::lossless);
    options.loss = 0.002;
    // The loss is known when the next packet has come and the NAK is back; four links of the two nodes are twice as
    // fast, so that a packet takes as long on two cables and twice half as long in its node.
    const double way = to_seconds(fabric.path(schedule.connections[0].path).latency);
    const double wire = unit / rate;
    const double both = 1 - (1 - options.loss) * (1 - options.loss);
    const double extra = both * (to_seconds(options.retransmit_timeout) / wire);
    const double formula = (1 - both) / (1 - both + both * ((2 * way + 3 * wire) / wire + extra));
    for (const FlowControl inside : {FlowControl::lossless, FlowControl::credits}) {
        options.island_flow_control = inside;
        const Timeline timeline = replay(options, fabric, schedule);
        const double goodput = static_cast<double>(count) * wire / to_seconds(timeline.makespan);
        const double three_sigma = 3 / std::sqrt(both * count) * (1 - formula);
        CHECK(goodput == Approx(formula).epsilon(three_sigma + 0.03));
        CHECK(static_cast<double>(timeline.packets->delivered) < 2 * count / formula);
    }
}

TEST_CASE("switches that hash alike use one of their ways up: flows polarise") {
    // Three tiers of four ports, sixteen hosts: two ways up at each switch. All cross the pods.
    FabricSpec spec = tiny::fabric(FabricKind::fat_tree, 4);
    spec.link.family = LinkFamily::ethernet;
    spec.choice = PathChoice::ecmp;
    spec.tiers = 3;
    const auto used = [&](bool same_hash, std::uint64_t seed) {
        spec.same_hash = same_hash;
        spec.seed = seed;
        const Fabric fabric(tiny::cluster(16, 1, spec));
        Pairs pairs;
        for (std::uint32_t h = 0; h < 16; ++h) {
            for (std::uint32_t other = 4; other < 16; other += 4) {
                for (std::uint32_t k = 0; k < 4; ++k) { pairs.emplace_back(h, (h / 4 * 4 + other) % 16 + k); }
            }
        }
        const Schedule schedule = testing::messages(fabric, pairs, 20 * unit);
        const Timeline timeline = replay(packets(), fabric, schedule);
        std::set<std::uint32_t> up;
        for (const Connection& connection : schedule.connections) {
            up.insert(static_cast<std::uint32_t>(fabric.path(connection.path).links[2]));
        }
        return std::pair{up.size(), to_seconds(timeline.makespan)};
    };
    double alike = 0;
    double salted = 0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const auto [all, fair] = used(false, seed);
        const auto [some, polarised] = used(true, seed);
        CHECK(all == 16);  // 192 flows: each of the sixteen cables from spine to core
        CHECK(some == 8);  // what a spine was given by one half of the hash it gives to the same half
        // Half of the cables carry all: 12 flows a host at a fair share of half of its rate, and never faster.
        CHECK(polarised >= 2 * 12 * 20 * unit / rate);
        alike += polarised;
        salted += fair;
    }
    CHECK(alike > 1.4 * salted);
}

TEST_CASE("new lanes, transactions and controllers give the same result on any number of threads", "[threads]") {
    const Fabric fabric(tiny::cluster(6, 2, tiny::fabric(FabricKind::rail_optimized)));
    Schedule schedule;
    for (std::uint32_t from = 0; from < 12; ++from) {
        for (std::uint32_t to = 0; to < 12; ++to) {
            if (from != to) {
                const auto connection = static_cast<std::uint32_t>(schedule.connections.size());
                schedule.connections.push_back({{.src = fabric.gpu(from), .dst = fabric.gpu(to), .flow_label = from}});
                schedule.kept.push_back(schedule.add(Transfer{
                    connection, {20'000 + 700 * static_cast<std::int64_t>(from * to)}, nanoseconds(from * 7)}));
            }
        }
    }
    Packet options = testing::lanes_and_reads();
    for (const double loss : {0.0, 0.01}) {
        options.loss = loss;
        options.threads = 1;
        const Timeline one = replay(options, fabric, schedule);
        CHECK(one.packets->marks > 0);
        for (const int threads : {2, 3}) {
            options.threads = threads;
            options.share_all_windows = true;
            const Timeline more = replay(options, fabric, schedule);
            for (std::size_t i = 0; i < one.kept.size(); ++i) { REQUIRE(one.kept[i].finish == more.kept[i].finish); }
            CHECK(one.packets->hops == more.packets->hops);
            CHECK(one.packets->marks == more.packets->marks);
            CHECK(one.packets->starved == more.packets->starved);
            CHECK(one.packets->drops == more.packets->drops);
        }
    }
}

TEST_CASE("ECN marks by queue for each Gb/s of its port: nothing up to Kmin, all that leave more than Kmax behind") {
    // Two send 20 packets each through one port of 200 Gb/s: its queue grows by one a packet time to 20 and falls
    // again.
    const Fabric fabric = testing::star(3);
    Schedule schedule = testing::messages(fabric, {{1, 0}, {2, 0}}, 20 * unit);
    Packet options = packets(FlowControl::lossless);
    options.congestion_control = CongestionControl::dcqcn;
    const auto marks = [&](double k) {  // packets
        const double threshold = k * unit / 200;
        options.ecn = {threshold, threshold, 1};
        return replay(options, fabric, schedule).packets->marks;
    };
    CHECK(marks(20.5) == 0);
    // 11, 12 ... 20 ... 12, 11 stay behind; or one less, if those that come as one leaves are counted after it.
    CHECK(std::abs(marks(10.5) - 18) <= 1);
    CHECK(std::abs(marks(15.5) - 8) <= 1);
}

}  // namespace fabricast
