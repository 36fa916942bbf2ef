// Credits, congestion control, loss and path choice.

#include <cmath>

#include "sim/engines/engine.hpp"
#include "sim/engines/packet/controller.hpp"
#include "sim/engines/packet/frame.hpp"
#include "tests/sim/engines/packet/allocations.hpp"
#include "tests/sim/engines/packet/network.hpp"
#include "tests/support/catch.hpp"

namespace fabricast {

namespace {

using testing::packets;
using testing::unit;
using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Pairs incast(std::uint32_t senders) {
    Pairs pairs;
    for (std::uint32_t h = 1; h <= senders; ++h) {
        pairs.emplace_back(h, 0);
    }
    return pairs;
}

double spread(const Timeline& timeline) {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    std::int64_t last = 0;
    for (const OpTimes& times : timeline.kept) {
        first = std::min(first, times.finish.ps);
        last = std::max(last, times.finish.ps);
    }
    return static_cast<double>(last) / static_cast<double>(first);
}

}  // namespace

TEST_CASE("throughput over a credit link is its buffer over the loop, up to the line") {
    // A credit comes back 500 ns there and 500 ns back after its packet set out; a packet takes 160 ns.
    const Fabric fabric = testing::star(2);
    constexpr std::int64_t count = 120;
    const Schedule schedule = testing::messages(fabric, {{0, 1}}, count * unit);
    for (const std::int64_t slots : {1, 2, 3, 4, 5, 6}) {
        Packet options = packets(FlowControl::credits);
        options.credit_buffer = Bytes{slots * unit};
        const Time time = replay(options, fabric, schedule).makespan;
        const std::int64_t rounds = count / slots - 1;
        CHECK(time.ps == rounds * 1'000'000 + (slots - 1) * 160'000 + 500'000 + 300'000 + 160'000);
    }
    Packet enough = packets(FlowControl::credits);
    enough.credit_buffer = Bytes{7 * unit};
    CHECK(replay(enough, fabric, schedule).makespan.ps == count * 160'000 + 800'000);
    enough.credit_delay = nanoseconds(1'000);  // 7 packets every 2 us
    CHECK(replay(enough, fabric, schedule).makespan.ps > 16 * 2'000'000);
    CHECK(replay(enough, fabric, schedule).packets->starved.ps > 0);
}

TEST_CASE("nothing is allocated while packets flow") {
    const Fabric fabric = testing::star(9);
    Packet options = packets(FlowControl::pfc);
    options.buffer = Bytes{100'000};
    const Schedule brief = testing::messages(fabric, incast(8), 500 * unit);
    const Schedule lengthy = testing::messages(fabric, incast(8), 5000 * unit);
    std::size_t before = testing::allocations();
    replay(options, fabric, brief);
    const std::size_t few = testing::allocations() - before;
    before = testing::allocations();
    replay(options, fabric, lengthy);
    CHECK(testing::allocations() - before <=
          few + 16);  // ten times the packets; vectors of the result may grow once more
}

TEST_CASE("DCQCN recovers its rate as published: half way to the target, five times, then by steps") {
    DcqcnOptions o;
    packet::Dcqcn flow(o, 5e9);
    flow.on_notice(o, 0);
    CHECK(flow.rate() == 2.5e9);  // alpha is one at first
    double expected = 2.5e9;
    for (int i = 1; i < 5; ++i) {
        flow.advance(o, i * microseconds(55).ps);
        expected = (expected + 5e9) / 2;
        CHECK(flow.rate() == Approx(expected));
    }
    flow.on_notice(o, 5 * microseconds(55).ps);
    CHECK(flow.rate() < 0.6 * 5e9);
    CHECK(flow.alpha() == Approx(std::pow(1 - o.g, 5) * (1 - o.g) + o.g).epsilon(0.01));
}

TEST_CASE("DCQCN with the paper's figures shares 40 Gb/s fairly, without pauses and with a short queue") {
    FabricSpec spec = tiny::fabric(FabricKind::single_switch);
    spec.link = tiny::link(LinkFamily::ethernet, 5, nanoseconds(500));
    const Fabric fabric(tiny::cluster(3, 1, spec));
    const Schedule schedule = testing::messages(fabric, incast(2), 50'000 * unit);
    Packet options = packets(FlowControl::pfc);
    options.buffer = Bytes{12'000'000};  // a Trident II
    const Timeline without = replay(options, fabric, schedule);
    options.congestion_control = CongestionControl::dcqcn;
    options.ecn = {125, 5000, 0.01};  // 5 and 200 KB
    const Timeline with = replay(options, fabric, schedule);
    CHECK(without.packets->pauses > 0);
    CHECK(with.packets->pauses < without.packets->pauses / 10);
    CHECK(with.packets->notices > 0);
    CHECK(static_cast<double>(with.makespan.ps) < 1.1 * static_cast<double>(without.makespan.ps));
    CHECK(spread(with) < 1.1);
}

TEST_CASE("DCQCN marks in the long run the share of packets at its published fixed point") {
    // Zhu et al., CoNEXT'16, theorem 1: p* = (R_AI N^2 / (tau C^2) (1 / B + N / (T C))^2)^(1/3), rates in packets.
    FabricSpec spec = tiny::fabric(FabricKind::single_switch);
    spec.link = tiny::link(LinkFamily::ethernet, 5, nanoseconds(500));
    const Fabric fabric(tiny::cluster(3, 1, spec));
    Packet options = packets(FlowControl::pfc);
    options.buffer = Bytes{12'000'000};
    options.congestion_control = CongestionControl::dcqcn;
    options.ecn = {125, 5000, 0.01};
    // What two senders of so many packets each mark, without the start.
    const auto marks = [&](std::int64_t count) {
        return static_cast<double>(
            replay(options, fabric, testing::messages(fabric, incast(2), count * unit)).packets->marks);
    };
    const double share = (marks(90'000) - marks(30'000)) / (2 * 60'000);
    const DcqcnOptions& o = options.dcqcn;
    const double c = 5e9 / unit;
    const double t = to_seconds(o.increase_timer);
    const double tau = to_seconds(o.alpha_timer);
    const double b = static_cast<double>(o.byte_counter.count) / unit;
    const double p = std::cbrt(o.additive / unit * 4 / (tau * c * c) * std::pow(1 / b + 2 / (t * c), 2));
    // The theorem is for a fluid in equilibrium; these two oscillate round it.
    CHECK(share > p / 2);
    CHECK(share < p * 2);
}

TEST_CASE("TIMELY with the paper's figures keeps the queue shorter than no control does") {
    FabricSpec spec = tiny::fabric(FabricKind::single_switch);
    spec.link.family = LinkFamily::ethernet;
    spec.link.rate = Rate::per_second(1'250'000'000);
    const Fabric fabric(tiny::cluster(5, 1, spec));
    const Schedule schedule = testing::messages(fabric, incast(4), 5000 * unit);
    Packet options = packets(FlowControl::lossless);
    const Timeline without = replay(options, fabric, schedule);
    options.congestion_control = CongestionControl::timely;
    const Timeline with = replay(options, fabric, schedule);
    CHECK(with.packets->ports.front().most_queued < without.packets->ports.front().most_queued / 4);
    CHECK(static_cast<double>(with.makespan.ps) < 2.5 * static_cast<double>(without.makespan.ps));
}

TEST_CASE("marks at 25 Gb/s thresholds cost a 400 Gb/s link throughput, scaled ones do not") {
    FabricSpec spec = tiny::fabric(FabricKind::single_switch);
    spec.link = tiny::link(LinkFamily::ethernet, 50, microseconds(2));
    const Fabric fabric(tiny::cluster(3, 1, spec));
    const Schedule schedule = testing::messages(fabric, incast(2), 20'000 * unit);
    Packet options = packets(FlowControl::pfc);
    options.congestion_control = CongestionControl::dcqcn;
    options.ecn = {5, 200, 1};  // 2 and 80 KB: what a 25 Gb/s port may be given
    const Timeline low = replay(options, fabric, schedule);
    options.ecn = {2000, 8000, 0.2};
    const Timeline scaled = replay(options, fabric, schedule);
    CHECK(scaled.makespan < low.makespan);
    CHECK(scaled.packets->notices < low.packets->notices);
}

TEST_CASE("what is lost is sent again: everything after it by go-back-N, it alone by selective repeat") {
    const Fabric fabric = testing::star(3);
    Schedule schedule = testing::messages(fabric, incast(2), 2000 * unit);
    for (Connection& connection : schedule.connections) {
        connection.rate_cap = 13e9;  // a few per cent more than the link carries are lost
    }
    Packet options = packets(FlowControl::lossy);
    options.buffer = Bytes{100'000};
    options.alpha = 1;
    const Timeline back = replay(options, fabric, schedule);
    options.recovery = LossRecovery::selective_repeat;
    const Timeline selective = replay(options, fabric, schedule);
    CHECK(back.packets->drops > 0);
    CHECK(selective.packets->drops > 0);
    CHECK(back.packets->resent > selective.packets->resent);
    const std::int64_t alone = 2 * 2000 * 160'000;
    CHECK(back.makespan.ps > alone * 11 / 10);  // goodput collapses
    CHECK(selective.makespan < back.makespan);
    // Without loss neither costs anything.
    options.buffer = Bytes{100'000'000};
    CHECK(replay(options, fabric, schedule).makespan == replay(packets(), fabric, schedule).makespan);
}

TEST_CASE("hashed flows collide; spraying and adaptive routing do not") {
    const Fabric fabric = testing::leaf_spine(32, 16, 1, 5);
    Pairs pairs;
    for (std::uint32_t h = 0; h < 32; h += 2) {
        pairs.emplace_back(h, (h + 8) % 32);  // half of every leaf to the next
    }
    const Schedule schedule = testing::messages(fabric, pairs, 500 * unit);
    Packet options = packets();
    const double ideal = 500 * 160e-9;
    const double hashed = to_seconds(replay(options, fabric, schedule).makespan);
    options.qps = 8;
    const double queue_pairs = to_seconds(replay(options, fabric, schedule).makespan);
    options.qps = 1;
    options.routing = PacketRouting::adaptive;
    const double adaptive = to_seconds(replay(options, fabric, schedule).makespan);
    options.routing = PacketRouting::spray;
    const double sprayed = to_seconds(replay(options, fabric, schedule).makespan);
    options.routing = PacketRouting::flowlet;
    const double flowlet = to_seconds(replay(options, fabric, schedule).makespan);
    CHECK(hashed > 1.8 * ideal);
    CHECK(queue_pairs < hashed);
    CHECK(sprayed < 1.15 * ideal);
    CHECK(adaptive < 1.15 * ideal);
    CHECK(flowlet >= hashed);  // flows that never pause have one flowlet
}

TEST_CASE("a slow receiver behind its NIC pauses the fabric") {
    // GPU to GPU over the network: PCIe of the receiving node serves a twentieth of the NIC's rate.
    const Fabric fabric(tiny::cluster(2, 1, [] {
        FabricSpec spec = tiny::fabric(FabricKind::single_switch);
        spec.link.family = LinkFamily::ethernet;
        return spec;
    }()));
    Schedule schedule;
    schedule.connections.push_back({{.src = fabric.gpu(0), .dst = fabric.gpu(1)}});
    schedule.kept.push_back(schedule.add(Transfer{0, {2000 * unit}, {}}));
    const Path path = fabric.path(schedule.connections[0].path);
    const LinkId dma = path.span().back();
    Packet options;
    options.mtu = options.island_mtu = Bytes{unit};
    options.nic_buffer = Bytes{200'000};
    CHECK(replay(options, fabric, schedule).packets->pauses == 0);
    CHECK(replay(options, fabric, schedule, {{nanoseconds(1), dma, 0.025}}).packets->pauses > 0);
}

TEST_CASE("a switch that reduces sends on a chunk when all have sent theirs") {
    const Fabric fabric(tiny::one_node(4));
    Schedule schedule;
    EdgeList edges;
    for (std::uint32_t g = 0; g < 4; ++g) {
        edges.edges.push_back({{.src = fabric.gpu(g), .dst = fabric.nvswitch(0)}, 1});
        edges.edges.push_back({{.src = fabric.nvswitch(0), .dst = fabric.gpu(g)}, 1});
    }
    schedule.edge_sets.push_back(edges);
    schedule.stages.push_back({1, {.src = fabric.gpu(0), .dst = fabric.nvswitch(0)}, {}});
    Pipeline p;
    p.chunk = 40'000;
    p.bytes_per_edge = 20 * 40'000;
    p.stage_count = 1;
    schedule.add(p);
    Packet options = packets();
    const Time even = replay(options, fabric, schedule).makespan;
    // One chunk up and one down take 500 ns and 400 ns each; then they stream. What stays is drained as the form says.
    CHECK(even.ps >= 20 * 400'000 + 2 * 500'000 + 400'000);
    const LinkId up = fabric.path({.src = fabric.gpu(2), .dst = fabric.nvswitch(0)}).links[0];
    const Time slow = replay(options, fabric, schedule, {{nanoseconds(1), up, 0.5}}).makespan;
    CHECK(slow.ps > even.ps + 19 * 400'000);  // all wait for the slowest
}

}  // namespace fabricast
