// Credits, congestion control, loss and path choice.

#include <cmath>
#include <map>

#include "sim/engines/engine.hpp"
#include "sim/engines/packet/controller.hpp"
#include "sim/engines/packet/frame.hpp"
#include "tests/sim/engines/packet/allocations.hpp"
#include "tests/sim/engines/packet/network.hpp"
#include "tests/support/catch.hpp"

namespace fabricast {

namespace {

using testing::packets;
using testing::Pairs;
using testing::unit;

Pairs incast(std::uint32_t senders) {
    Pairs pairs;
    for (std::uint32_t h = 1; h <= senders; ++h) { pairs.emplace_back(h, 0); }
    return pairs;
}

// The share of packets marked where DCQCN's fluid model is at rest: Zhu et al., ECN or Delay, CoNEXT'16, equations 5 to
// 7 with dR/dt = 0 at R = C / N. Rates in packets per second; unique, found by halving.
double fixed_point(const DcqcnOptions& o, double link, double flows) {
    const double r = link / flows;
    const double additive = o.additive / unit;
    const double bytes = static_cast<double>(o.byte_counter.count) / unit;  // packets, as `times`
    const double times = to_seconds(o.increase_timer) * r;
    const double tau = to_seconds(o.cnp_interval);
    const auto excess = [&](double p) {
        const double hears = 1 - std::pow(1 - p, tau * r);
        const double alpha = 1 - std::pow(1 - p, to_seconds(o.alpha_timer) * r);
        const double by_bytes = 1 / (std::pow(1 - p, -bytes) - 1);
        const double by_time = 1 / (std::pow(1 - p, -times) - 1);
        const double above = alpha * hears / tau / (p * (by_bytes + by_time));  // target above rate
        const double raised =
            additive * r * p *
            (std::pow(1 - p, o.fast_recovery * bytes) * by_bytes + std::pow(1 - p, o.fast_recovery * times) * by_time);
        return above / tau * hears - raised;
    };
    double low = 1e-9;
    double high = 0.5;
    for (int i = 0; i < 200; ++i) {
        const double middle = std::sqrt(low * high);
        (excess(middle) < 0 ? low : high) = middle;
    }
    return low;
}

// The same for the algorithm itself, which is not a fluid: notices come N and the wait for the next marked packet
// apart, and between two of them timers run `n` and `k` whole times. A cut takes alpha / 2 of the rate, of which `n`
// increases give back all but 2^-n; the target begins at the rate before the cut, each increase from the F-th on adds
// R_AI to it, and what the rate has not reached of it by the next cut is lost. At rest both are equal in the mean (the
// byte counter is left out: so long nobody waits here).
double balance_of_cuts(const DcqcnOptions& o, double link, double flows) {
    const double r = link / flows;
    const double interval = to_seconds(o.cnp_interval);
    const auto excess = [&](double p) {
        const auto lasts = [&](double time) { return time <= interval ? 1 : std::pow(1 - p, (time - interval) * r); };
        const auto mean = [&](double timer, const auto& value) {
            double sum = 0;
            for (int n = 0; lasts(n * timer) > 1e-9; ++n) {
                sum += (lasts(n * timer) - lasts((n + 1) * timer)) * value(n);
            }
            return sum;
        };
        const double decay = mean(to_seconds(o.alpha_timer), [&](int k) { return std::pow(1 - o.g, k); });
        const double alpha = o.g * decay / (1 - (1 - o.g) * decay);  // before a notice
        const double timer = to_seconds(o.increase_timer);
        const double lost = alpha / 2 * r * mean(timer, [](int n) { return std::pow(0.5, n); });
        const double gained = mean(timer, [&](int n) {
            const int steps = std::max(0, n - o.fast_recovery + 1);
            return o.additive / unit * (steps - 1 + std::pow(0.5, steps));  // the sum of 1 - 2^-i for i up to it
        });
        return lost - gained;
    };
    double low = 1e-5;
    double high = 0.5;
    for (int i = 0; i < 40; ++i) {
        const double middle = std::sqrt(low * high);
        (excess(middle) < 0 ? low : high) = middle;
    }
    return low;
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
    if (!testing::counts_allocations) { SKIP_TEST("this build does not count allocations"); }
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
    CHECK(flow.at_line());
    flow.on_notice(o, 0);
    CHECK_FALSE(flow.at_line());
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

TEST_CASE("DCQCN begins at its adapter's rate, not at that of a slower link which it does not know of") {
    // 25 GB/s into a trunk of 10: the queue there grows at 15 GB/s until a mark has come back, in Kmax / 15 GB/s and a
    // round trip at most. From a start at 10 GB/s no queue would ever stand.
    const Fabric fabric = testing::drawn({{0, 1}, {{0, 1}}, {}, LinkFamily::ethernet, 10}, 2);
    const Schedule schedule = testing::messages(fabric, {{0, 1}}, 50'000 * unit);
    Packet options = packets(FlowControl::lossless);
    options.congestion_control = CongestionControl::dcqcn;
    options.ecn = {2000, 8000, 0.2};
    const Timeline timeline = replay(options, fabric, schedule);
    const double k_min = 2000.0 * 80, k_max = 8000.0 * 80;  // bytes of a port of 80 Gb/s
    const double round_trip = 2 * to_seconds(fabric.path(schedule.connections[0].path).latency);
    const auto queued = static_cast<double>(timeline.packets->ports.front().most_queued);
    CHECK(fabric.link_name(timeline.packets->ports.front().link) == "s0 -> s1");
    CHECK(queued > k_min);
    CHECK(queued < k_max + 15e9 * (round_trip + k_max / 10e9) + 2 * unit);  // the mark waits for the queue before it
    CHECK(timeline.packets->notices > 0);
    // The queue covers the cuts: the trunk's 20 ms and little more.
    const double needed = 50'000.0 * unit / 10e9;
    CHECK(to_seconds(timeline.makespan) > needed);
    CHECK(to_seconds(timeline.makespan) < 1.01 * needed);
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
    // The queue's fixed point, 80 KB, and the first burst, 1.3 MB at most, stay below the pause threshold of alpha
    // times what is free, 1.34 MB.
    CHECK(with.packets->pauses == 0);
    CHECK(with.packets->notices > 0);
    // A burst cuts both rates, once each 50 us until the burst is gone; steps of 40 Mb/s bring them back to half of the
    // link in 500 of 55 us at worst, and half of the link is unused meanwhile on average.
    const double back = 20e9 / 40e6 * 55e-6;
    CHECK(to_seconds(with.makespan) < to_seconds(without.makespan) + back / 2);
    // Fair but for the swing: two flows of half of 80 ms apart by no more than the time one is ahead for.
    CHECK(spread(with) < 1 + back / 2 / to_seconds(with.makespan));
    // From its first packet to its last a flow is on the wire, 40 ms in all, or held back.
    const double sending = testing::seconds(with, 0) + testing::seconds(with, 1);
    CHECK(with.packets->throttled == Approx(1 - 2 * 50'000.0 * unit / 5e9 / sending).epsilon(0.005));
}

TEST_CASE("DCQCN's marks and with them its queue settle where its cuts balance its steps") {
    FabricSpec spec = tiny::fabric(FabricKind::single_switch);
    spec.link = tiny::link(LinkFamily::ethernet, 5, nanoseconds(500));
    const Fabric fabric(tiny::cluster(17, 1, spec));
    Packet options = packets(FlowControl::lossless);
    options.congestion_control = CongestionControl::dcqcn;
    options.ecn = {125, 50'000, 0.1};  // 5 KB and 2 MB: the same slope as the paper's, so that every p* lies on it
    for (const std::uint32_t senders : {2U, 4U, 8U, 16U}) {
        INFO(senders << " senders");
        // What they mark, without the start.
        const auto marks = [&](std::int64_t count) {
            const Schedule schedule = testing::messages(fabric, incast(senders), count / senders * unit);
            return static_cast<double>(replay(options, fabric, schedule).packets->marks);
        };
        const double counted = marks(240'000) - marks(80'000);
        const double p = balance_of_cuts(options.dcqcn, 5e9 / unit, senders);
        // Marks are counted: three standard deviations of their number. Rates and queue swing about their means, which
        // costs no more than a few per cent.
        CHECK(counted / 160'000 == Approx(p).epsilon(3 / std::sqrt(counted) + 0.03));
    }
}

TEST_CASE("DCQCN's fluid model rests at fewer marks than the algorithm, by a factor that its formulas tell") {
    // In the fluid a notice may follow the last at once. In the algorithm none comes for N, in which the first increase
    // is nearly due (T is little more): it nearly always gives back half of what the cut took. Where marks are rare,
    // cuts cost (1 + (T - N) / T) / 2 of what they cost in the fluid; the share of marks is a cube root (theorem 1).
    DcqcnOptions o;
    const double first = to_seconds(o.increase_timer - o.cnp_interval) / to_seconds(o.increase_timer);
    const double rare = std::cbrt((1 + first) / 2);
    o.byte_counter = Bytes{1'000'000'000'000};
    for (const double flows : {2, 4, 8, 16}) {
        o.additive = DcqcnOptions{}.additive;
        const double published = fixed_point(o, 5e9 / unit, flows) / balance_of_cuts(o, 5e9 / unit, flows);
        o.additive /= 10'000;
        const double limit = fixed_point(o, 5e9 / unit, flows) / balance_of_cuts(o, 5e9 / unit, flows);
        CHECK(limit == Approx(rare).epsilon(0.015));
        CHECK(published < limit);
    }
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
    // Four rates of the link: the queue grows at three. T_high (500 us) is in a packet sent after a third of it, and
    // known after another; a small cut then, and the next a round trip later, which by then is four times T_high.
    const double high = to_seconds(options.timely.high);
    const double known = high / 3 + high;
    CHECK(static_cast<double>(with.packets->ports.front().most_queued) < 3 * 1.25e9 * (known + 4 * high));
    CHECK(with.packets->ports.front().most_queued < without.packets->ports.front().most_queued / 4);
    // Afterwards a rate grows by 5 * 10 Mb/s for each 64 KiB sent: e-fold in 64 KiB / 6.25 MB/s = 10.5 ms. Cut once or
    // twice too often it takes ln 4 of them to be back, each with some of the link unused: three are a bound.
    const double fold = static_cast<double>(options.timely.segment.count) / (5 * options.timely.additive);
    CHECK(to_seconds(with.makespan) < to_seconds(without.makespan) + 4 * std::log(4) * 2 * fold);
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
    // Two messages of 80 MB through 50 GB/s, and two hops of 2 us. The first notice halves a rate (alpha begins at 1),
    // and each increase gives back half of what is missing: 1/2 + 1/4 + ... of an increase timer's bytes in all. That
    // the queue does not cover is lost. Afterwards scaled thresholds hold a queue that covers the cuts; those of the
    // slow port let it run empty again and again.
    const double whole = 2 * 20'000.0 * unit / 50e9 + 2 * 2e-6;
    const double first_cut = to_seconds(options.dcqcn.increase_timer);
    CHECK(to_seconds(scaled.makespan) < whole + first_cut);
    CHECK(to_seconds(low.makespan) > whole + 2 * first_cut);
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
    std::map<LinkId, int> flows_on;
    int most = 0;
    double latency = 0;
    for (const Connection& connection : schedule.connections) {
        const Path path = fabric.path(connection.path);
        latency = std::max(latency, to_seconds(path.latency));
        for (const LinkId link : path.span()) { most = std::max(most, ++flows_on[link]); }
    }
    Packet options = packets();
    const auto took = [&] { return to_seconds(replay(options, fabric, schedule).makespan); };
    const double wire = 160e-9;
    const double ideal = 500 * wire;
    // The fullest trunk carries so many flows whole, whatever their order.
    REQUIRE(most >= 2);
    const double hashed = took();
    CHECK(hashed >= most * ideal);
    CHECK(hashed < most * ideal + latency + 16 * wire);  // it is never idle but at the start
    options.qps = 8;
    CHECK(took() < hashed);
    options.qps = 1;
    // Four flows of a leaf meet at its eight trunks: a packet waits for one of each other flow at most, up and down.
    options.routing = PacketRouting::adaptive;
    CHECK(took() <= ideal + latency + 6 * wire);
    options.routing = PacketRouting::spray;
    CHECK(took() <= ideal + latency + 6 * wire);
    options.routing = PacketRouting::flowlet;
    CHECK(took() >= hashed);  // flows that never pause have one flowlet
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
    schedule.pipelines.front().bytes_per_edge = p.chunk;
    CHECK(replay(options, fabric, schedule).makespan.ps == 2 * (500'000 + 400'000));  // up, then down
}

TEST_CASE("a timeout while acknowledgements are under way costs the packets sent again, and nothing else") {
    // A packet every 1.6 us, and nothing gets through before 15 us. A timeout of 10 us finds seven sent, and begins
    // again. Their acknowledgements come while the first message, of five packets, is being sent again.
    const Fabric fabric = testing::star(2);
    Schedule schedule = testing::messages(fabric, {{0, 1}}, 5 * unit);
    schedule.connections[0].rate_cap = 2.5e9;
    for (int message = 0; message < 15; ++message) { schedule.kept.push_back(schedule.add(Transfer{0, {unit}, {}})); }
    const LinkId last = fabric.path(schedule.connections[0].path).links[1];
    const std::vector<LinkEvent> events = {{nanoseconds(1), last, 0}, {nanoseconds(15'000), last, 1}};
    Packet options = packets(FlowControl::lossy);
    const Timeline patient = replay(options, fabric, schedule, events);
    options.retransmit_timeout = microseconds(10);
    const Timeline timeline = replay(options, fabric, schedule, events);
    CHECK(patient.packets->timeouts == 0);
    CHECK(timeline.packets->timeouts == 1);
    CHECK(timeline.packets->resent == 7);
    for (std::size_t m = 0; m < 3; ++m) { CHECK(timeline.kept[m].finish == patient.kept[m].finish); }
    for (std::int64_t packet = 7; packet < 20; ++packet) {
        const OpTimes& message = timeline.kept[static_cast<std::size_t>(packet) - 4];
        CHECK(message.finish.ps == (packet + 7) * 1'600'000 + 800'000 + 160'000);
    }
}

TEST_CASE("of a message of a byte more than whole packets the last byte, too, is sent again if it is lost") {
    const Fabric fabric = testing::star(2);
    Packet options = packets(FlowControl::lossless);
    options.loss = 0.2;
    options.retransmit_timeout = microseconds(10);
    for (const std::int64_t bytes : {std::int64_t{1}, unit + 1}) {
        Schedule schedule;
        schedule.connections = testing::messages(fabric, {{0, 1}}, unit).connections;
        for (int message = 0; message < 50; ++message) { schedule.add(Transfer{0, {bytes}, {}}); }
        const Timeline timeline = replay(options, fabric, schedule);
        CHECK(timeline.packets->drops > 0);
        CHECK(timeline.packets->resent > 0);
    }
}

}  // namespace fabricast
