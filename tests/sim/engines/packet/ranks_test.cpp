// One replay over several ranks gives what one process gives, to the last count, on every rank; what ranks cannot share
// each of them replays by itself; and a rank that fails does not leave the others waiting.

#include <tuple>

#include "sim/engines/common/unroll.hpp"
#include "sim/engines/packet/frame.hpp"
#include "tests/sim/engines/packet/network.hpp"
#include "tests/sim/engines/packet/peers_in_threads.hpp"
#include "tests/sim/engines/schedules.hpp"
#include "tests/support/catch.hpp"

namespace fabricast {

namespace {

using testing::keep_all;
using testing::nics;
using testing::over_ranks;
using testing::packets;
using testing::RankSaw;
using testing::unit;

// All that a timeline says but the memory that it took.
void check_identical(const Timeline& a, const Timeline& b) {
    REQUIRE(a.makespan == b.makespan);
    REQUIRE(a.kept.size() == b.kept.size());
    for (std::size_t i = 0; i < a.kept.size(); ++i) {
        INFO("operation " << i);
        REQUIRE(a.kept[i].start == b.kept[i].start);
        REQUIRE(a.kept[i].release == b.kept[i].release);
        REQUIRE(a.kept[i].finish == b.kept[i].finish);
    }
    REQUIRE(a.busiest.size() == b.busiest.size());
    for (std::size_t i = 0; i < a.busiest.size(); ++i) {
        CHECK(a.busiest[i].link == b.busiest[i].link);
        CHECK(a.busiest[i].bytes == b.busiest[i].bytes);
        CHECK(a.busiest[i].utilisation == b.busiest[i].utilisation);
    }
    CHECK(a.busy == b.busy);
    REQUIRE(a.classes.size() == b.classes.size());
    for (std::size_t i = 0; i < a.classes.size(); ++i) {
        CHECK(a.classes[i].bytes == b.classes[i].bytes);
        CHECK(a.classes[i].busy_s == b.classes[i].busy_s);
    }
    const PacketUse &x = *a.packets, &y = *b.packets;
    CHECK(x.windows == y.windows);
    CHECK(std::tuple(x.hops, x.delivered, x.delivered_bytes, x.marks, x.notices, x.drops, x.trimmed, x.resent,
                     x.timeouts, x.pauses, x.watchdog) == std::tuple(y.hops, y.delivered, y.delivered_bytes, y.marks,
                                                                     y.notices, y.drops, y.trimmed, y.resent,
                                                                     y.timeouts, y.pauses, y.watchdog));
    CHECK(std::tuple(x.paused, x.starved, x.throttled, x.fct_p50, x.fct_p99, x.fct_max, x.ports_used) ==
          std::tuple(y.paused, y.starved, y.throttled, y.fct_p50, y.fct_p99, y.fct_max, y.ports_used));
    CHECK(x.victims == y.victims);
    REQUIRE(x.ports.size() == y.ports.size());
    for (std::size_t i = 0; i < x.ports.size(); ++i) {
        const PortUse &p = x.ports[i], &q = y.ports[i];
        CHECK(std::tuple(p.link, p.lane, p.bytes, p.most_queued, p.most_headroom, p.marks, p.drops, p.pauses, p.paused,
                         p.starved) == std::tuple(q.link, q.lane, q.bytes, q.most_queued, q.most_headroom, q.marks,
                                                  q.drops, q.pauses, q.paused, q.starved));
    }
    REQUIRE(x.series.size() == y.series.size());
    for (std::size_t i = 0; i < x.series.size(); ++i) {
        CHECK(x.series[i].link == y.series[i].link);
        CHECK(x.series[i].queued == y.series[i].queued);
        CHECK(x.series[i].paused == y.series[i].paused);
        CHECK(x.series[i].sent == y.series[i].sent);
    }
    REQUIRE(x.rates.size() == y.rates.size());
    for (std::size_t i = 0; i < x.rates.size(); ++i) { CHECK(x.rates[i].rate == y.rates[i].rate); }
    REQUIRE(x.arrivals.size() == y.arrivals.size());
    for (std::size_t i = 0; i < x.arrivals.size(); ++i) { CHECK(x.arrivals[i].at == y.arrivals[i].at); }
}

// On two and three ranks as on one; returns what that one says. Where one process finds that the replay cannot end, all
// ranks do.
Timeline check_ranks(const Packet& options, const Fabric& fabric, const Schedule& schedule) {
    Timeline one;
    std::string error;
    try {
        one = replay(options, fabric, schedule);
    } catch (const CannotEnd& failure) { error = failure.what(); }
    for (const std::uint32_t ranks : {2U, 3U}) {
        for (const RankSaw& rank : over_ranks(ranks, options, fabric, schedule)) {
            INFO(ranks << " ranks");
            REQUIRE(rank.error == error);
            CHECK(rank.notes.empty());
            CHECK(rank.exchanges > 2);
            CHECK(rank.sent > 0);
            if (error.empty()) { check_identical(one, rank.timeline); }
        }
    }
    return one;
}

// Over ranks nothing is simulated once for all, so one process does not either.
Packet congested(FlowControl control) {
    Packet options = testing::congested(control);
    options.reuse = false;
    return options;
}

// A ring over six nodes of four GPUs, again and again, each after the one before.
Schedule rings(const Fabric& fabric, int calls) {
    Schedule schedule;
    schedule.edge_sets.push_back(NodeRing{.nodes = 6, .order = {0, 1, 2, 3}, .exit_nic = 3, .entry_nic = 0});
    schedule.stages.push_back({46, {.src = fabric.gpu(0), .dst = fabric.gpu(1)}, nanoseconds(500)});
    Pipeline p;
    p.chunk = 40'000;
    p.bytes_per_edge = 46 * 40'000;
    p.slices = 2;
    p.cyclic = true;
    p.stage_count = 1;
    OpId last{};
    for (int call = 0; call < calls; ++call) {
        last = call == 0 ? schedule.add(p) : schedule.add(p, std::vector<Schedule::Dependency>{{last}});
    }
    return keep_all(schedule);
}

}  // namespace

TEST_CASE("ranks see congestion as one process does: PFC, credits, losses, marks, paths chosen by load", "[threads]") {
    const Fabric fabric = testing::leaf_spine(32, 8, 1, 3);
    const Schedule schedule = keep_all(testing::all_to_all(nics(fabric), 60'000, 0.5, microseconds(3)));
    std::int64_t pauses = 0, drops = 0, marks = 0;
    Duration starved;
    for (const FlowControl control : {FlowControl::pfc, FlowControl::credits, FlowControl::lossy}) {
        for (const PacketRouting routing : {PacketRouting::ecmp, PacketRouting::adaptive, PacketRouting::spray}) {
            if (control == FlowControl::lossy && routing != PacketRouting::ecmp) { continue; }
            Packet options = congested(control);
            options.routing = routing;
            options.series = routing == PacketRouting::ecmp;
            INFO(to_string(control) << " " << to_string(routing));
            const Timeline one = check_ranks(options, fabric, schedule);
            pauses += one.packets->pauses;
            drops += one.packets->drops;
            marks += one.packets->marks;
            starved += one.packets->starved;
        }
    }
    CHECK((pauses > 0 && drops > 0 && marks > 0 && starved.ps > 0));
}

TEST_CASE("ranks share pipelines, and messages that wait for each other, of nodes with many devices", "[threads]") {
    const Fabric fabric(tiny::cluster(6, 4, tiny::fabric(FabricKind::rail_optimized)));
    Packet options;
    options.mtu = options.island_mtu = Bytes{unit};
    options.reuse = false;
    check_ranks(options, fabric, rings(fabric, 3));
    check_ranks(options, fabric, keep_all(unroll(fabric, rings(fabric, 1)).schedule));
    const Fabric hosts = testing::star(8);
    check_ranks(congested(FlowControl::pfc), hosts, keep_all(testing::ring(nics(hosts), 14, 300'000, 0.5)));
}

TEST_CASE("ranks share lanes, reads over PCIe, TIMELY, InfiniBand's control, selective repeat and trimming",
          "[threads]") {
    const Fabric fabric(tiny::cluster(6, 2, tiny::fabric(FabricKind::rail_optimized)));
    std::vector<DeviceId> gpus;
    for (std::uint32_t gpu = 0; gpu < 12; ++gpu) { gpus.push_back(fabric.gpu(gpu)); }
    const Schedule schedule = keep_all(testing::all_to_all(gpus, 60'000, 0.5, microseconds(2)));
    Packet options = testing::lanes_and_reads();
    for (const double loss : {0.0, 0.01}) {
        options.loss = loss;
        const Timeline one = check_ranks(options, fabric, schedule);
        CHECK((one.packets->marks > 0 && (loss == 0 || one.packets->resent > 0)));
    }
    const Fabric hosts = testing::star(9);
    const Schedule incast = testing::incast(hosts, 8, 400'000);
    options = congested(FlowControl::lossy);
    options.recovery = LossRecovery::selective_repeat;
    CHECK(check_ranks(options, hosts, incast).packets->resent > 0);
    options = congested(FlowControl::pfc);
    options.congestion_control = CongestionControl::timely;
    check_ranks(options, hosts, incast);
    options = congested(FlowControl::lossy);
    options.trim = true;
    CHECK(check_ranks(options, hosts, incast).packets->trimmed > 0);
}

TEST_CASE("whatever is sent over whatever fabric, ranks see what one process does", "[threads]") {
    testing::Random random;
    int ended = 0;
    for (int run = 0; run < 40; ++run) {
        const std::uint32_t count = 4 + random.below(20);
        const Fabric fabric = random.below(3) == 0 ? testing::star(count, random.below(2) == 0 ? LinkFamily::ethernet
                                                                                               : LinkFamily::infiniband)
                                                   : testing::leaf_spine(count, 8, 1, 1 + random.below(5));
        constexpr FlowControl controls[] = {FlowControl::pfc, FlowControl::credits, FlowControl::lossless,
                                            FlowControl::lossy};
        Packet options = congested(controls[random.below(4)]);
        constexpr PacketRouting routings[] = {PacketRouting::ecmp, PacketRouting::flowlet, PacketRouting::adaptive,
                                              PacketRouting::spray};
        options.routing = random.below(2) == 0 ? PacketRouting::ecmp : routings[random.below(4)];
        options.recovery = random.below(2) == 0 ? LossRecovery::go_back_n : LossRecovery::selective_repeat;
        options.congestion_control = random.below(3) == 0   ? CongestionControl::none
                                     : random.below(2) == 0 ? CongestionControl::dcqcn
                                                            : CongestionControl::timely;
        options.loss = random.below(4) == 0 ? 0.002 : 0;
        options.cut_through = random.below(4) != 0;
        options.credit_buffer = Bytes{random.below(2) == 0 ? 0 : 6 * unit};
        options.buffer = Bytes{80'000 + 40'000 * random.below(8)};
        options.pause_quanta = random.below(3) == 0 ? 100 : 65535;
        options.pfc_watchdog = random.below(6) == 0 ? microseconds(20) : Duration{};
        options.seed = 1 + random.below(100);
        const std::int64_t bytes = 4'000 + 20'000 * random.below(8);
        Schedule schedule;
        switch (random.below(3)) {
            case 0: schedule = testing::all_to_all(nics(fabric), bytes, 0.5, microseconds(random.below(20))); break;
            case 1: schedule = testing::ring(nics(fabric), 6, 4 * bytes, 0.5); break;
            default: schedule = testing::incast(fabric, count - 1, 3 * bytes, microseconds(random.below(50)));
        }
        INFO("run " << run << ", seed " << options.seed << ": " << to_string(options.flow_control) << ", "
                    << to_string(options.routing) << ", " << to_string(options.recovery) << ", "
                    << to_string(options.congestion_control) << ", " << options.loss << ", cut " << options.cut_through
                    << ", quanta " << options.pause_quanta << ", watchdog " << options.pfc_watchdog.ps << ", buffer "
                    << options.buffer.count << ", credits " << options.credit_buffer.count << ", " << bytes
                    << " B, ops " << schedule.size() << " hosts " << count);
        ended += check_ranks(options, fabric, keep_all(std::move(schedule))).packets ? 1 : 0;
    }
    CHECK(ended > 30);
}

TEST_CASE("what ranks cannot share each of them replays by itself, and says why", "[threads]") {
    const Fabric hosts = testing::star(9);
    const Schedule incast = testing::incast(hosts, 8, 400'000);
    const auto check_alone = [&](const Packet& options, const char* why, const std::vector<LinkEvent>& events = {}) {
        INFO(why);
        const Timeline one = replay(options, hosts, incast, events);
        for (const RankSaw& rank : over_ranks(2, options, hosts, incast, events)) {
            REQUIRE(rank.error.empty());
            CHECK(rank.sent == 0);
            REQUIRE(rank.notes.size() == 1);
            CHECK_THAT(*rank.notes.begin(), ContainsSubstring(why));
            check_identical(one, rank.timeline);
        }
    };
    Packet options = congested(FlowControl::pfc);
    for (const CongestionControl control :
         {CongestionControl::hpcc, CongestionControl::swift, CongestionControl::nscc}) {
        options.congestion_control = control;
        check_alone(options, "congestion control");
    }
    const LinkId slow = hosts.path(incast.connections[0].path).links[0];
    check_alone(congested(FlowControl::pfc), "links change", {{{20'000'000}, slow, 0.5}});
}

TEST_CASE("over ranks nothing is simulated once for all, which they say", "[threads]") {
    const Fabric fabric(tiny::cluster(6, 4, tiny::fabric(FabricKind::rail_optimized)));
    Packet options;
    options.mtu = options.island_mtu = Bytes{unit};
    const Timeline one = replay(options, fabric, rings(fabric, 3));
    for (const RankSaw& rank : over_ranks(2, options, fabric, rings(fabric, 3))) {
        REQUIRE(rank.notes.size() == 1);
        CHECK_THAT(*rank.notes.begin(), ContainsSubstring("every packet is simulated"));
        CHECK(rank.timeline.makespan == one.makespan);
        CHECK(rank.timeline.packets->hops == one.packets->hops);
    }
}

TEST_CASE("all ranks see a deadlock, and name it as one process does", "[threads]") {
    const auto [fabric, schedule] = testing::circle();
    Packet options = packets(FlowControl::credits);
    options.credit_buffer = Bytes{8 * unit};
    std::string why;
    try {
        replay(options, fabric, schedule);
    } catch (const CannotEnd& error) { why = error.what(); }
    CHECK_THAT(why, ContainsSubstring("deadlock of 4 ports"));
    for (const RankSaw& rank : over_ranks(3, options, fabric, schedule)) { CHECK(rank.error == why); }
}

TEST_CASE("ranks that were given different things, or of which one fails, all end", "[threads]") {
    const Fabric hosts = testing::star(9);
    const Schedule incast = testing::incast(hosts, 8, 400'000);
    const Schedule larger = testing::incast(hosts, 8, 400'001);
    const std::vector<RankSaw> differ = over_ranks(2, congested(FlowControl::pfc), hosts, {&incast, &larger});
    CHECK_THAT(differ[0].error + differ[1].error, ContainsSubstring("do not simulate the same"));
    CHECK((!differ[0].error.empty() && !differ[1].error.empty()));
    // A schedule that only one of them refuses: a time that its clock does not hold.
    Schedule late = incast;
    late.transfers.front().start = Duration{clock_end};
    const std::vector<RankSaw> fails = over_ranks(2, congested(FlowControl::pfc), hosts, {&incast, &late});
    CHECK((!fails[0].error.empty() && !fails[1].error.empty()));
}

}  // namespace fabricast
