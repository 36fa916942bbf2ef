// Against the other engines, against another packet engine, and against itself on more threads.

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/engines/common/unroll.hpp"
#include "sim/engines/engine.hpp"
#include "tests/sim/engines/packet/network.hpp"
#include "tests/sim/engines/packet/two_events.hpp"
#include "tests/sim/engines/schedules.hpp"
#include "tests/support/catch.hpp"

namespace fabricast {

namespace {

using testing::congested;
using testing::keep_all;
using testing::nics;
using testing::packets;
using testing::unit;

void check_same(const Timeline& a, const Timeline& b) {
    REQUIRE(a.kept.size() == b.kept.size());
    for (std::size_t i = 0; i < a.kept.size(); ++i) { REQUIRE(a.kept[i].finish == b.kept[i].finish); }
    CHECK(a.packets->hops == b.packets->hops);
    CHECK(a.packets->marks == b.packets->marks);
    CHECK(a.packets->notices == b.packets->notices);
    CHECK(a.packets->pauses == b.packets->pauses);
    CHECK(a.packets->drops == b.packets->drops);
    CHECK(a.packets->resent == b.packets->resent);
    CHECK(a.packets->paused == b.packets->paused);
}

}  // namespace

TEST_CASE("a pipeline takes as long as its messages, packet by packet") {
    for (const bool cyclic : {true, false}) {
        for (const std::uint32_t nodes : {1U, 3U}) {
            const Fabric fabric(nodes == 1 ? tiny::one_node(4)
                                           : tiny::cluster(nodes, 4, tiny::fabric(FabricKind::rail_optimized)));
            Schedule schedule;
            NodeRing ring{.nodes = nodes, .order = {0, 1, 2, 3}};
            ring.closed = cyclic;
            ring.exit_nic = nodes > 1 ? 3 : any_nic;
            ring.entry_nic = nodes > 1 ? 0 : any_nic;
            schedule.edge_sets.push_back(ring);
            schedule.stages.push_back({6, {.src = fabric.gpu(0), .dst = fabric.gpu(1)}, nanoseconds(500)});
            Pipeline p;
            p.chunk = 80'000;
            p.bytes_per_edge = 25.5 * 80'000;
            p.slices = 2;
            p.slots = 4;
            p.cyclic = cyclic;
            p.stage_count = 1;
            p.wire_ratio = p.network_wire_ratio = 1.25;
            p.edge_rate_cap = 20e9;
            schedule.add(p);
            const Packet options = packets(FlowControl::credits);
            const Time native = replay(options, fabric, schedule).makespan;
            const Time unrolled = replay(options, fabric, unroll(fabric, schedule).schedule).makespan;
            CHECK(std::abs(native.ps - unrolled.ps) <= 100);
        }
    }
}

TEST_CASE("fluid and packets agree within three per cent where nothing is congested") {
    const Fabric fabric = testing::star(8);
    const Schedule ring = testing::ring(nics(fabric), 14, 1'000'000);
    const Time fluid = replay(Flow{}, fabric, ring).makespan;
    for (const FlowControl control : {FlowControl::lossless, FlowControl::pfc, FlowControl::credits}) {
        const Time time = replay(packets(control), fabric, ring).makespan;
        CHECK(std::abs(static_cast<double>(time.ps) / static_cast<double>(fluid.ps) - 1) < 0.03);
    }
    const Fabric node(tiny::cluster(4, 4, tiny::fabric(FabricKind::rail_optimized)));
    Schedule pipeline;
    pipeline.edge_sets.push_back(NodeRing{.nodes = 4, .order = {0, 1, 2, 3}, .exit_nic = 3, .entry_nic = 0});
    pipeline.stages.push_back({30, {.src = node.gpu(0), .dst = node.gpu(1)}, nanoseconds(500)});
    Pipeline p;
    p.chunk = 500'000;
    p.bytes_per_edge = 200 * 500'000;
    p.cyclic = true;
    p.stage_count = 1;
    pipeline.add(p);
    const Time closed = replay(Flow{}, node, pipeline).makespan;
    Packet options;
    options.mtu = options.island_mtu = Bytes{4096};
    const Time time = replay(options, node, pipeline).makespan;
    CHECK(std::abs(static_cast<double>(time.ps) / static_cast<double>(closed.ps) - 1) < 0.03);
}

TEST_CASE("every byte that was sent arrives, once over each link") {
    const Fabric fabric = testing::leaf_spine(16, 8);
    const Schedule schedule = testing::all_to_all(nics(fabric), 100'000, 0.5, microseconds(5));
    double sent = 0;
    for (const Transfer& transfer : schedule.transfers) { sent += static_cast<double>(transfer.bytes.count); }
    for (const FlowControl control : {FlowControl::lossless, FlowControl::pfc, FlowControl::credits}) {
        Packet options = congested(FlowControl::pfc);
        options.flow_control = control;
        const Timeline timeline = replay(options, fabric, schedule);
        CHECK(timeline.packets->delivered_bytes == sent);
        CHECK(timeline.packets->drops == 0);
    }
}

TEST_CASE("an engine with a global queue and two events a packet gives the same times") {
    const Fabric fabric = testing::leaf_spine(32, 8);
    const Schedule schedule = keep_all(testing::all_to_all(nics(fabric), 20'000, 0.5, microseconds(20)));
    for (const bool cut_through : {true, false}) {
        Packet options = packets();
        options.cut_through = cut_through;
        const Timeline timeline = replay(options, fabric, schedule);
        const std::vector<std::int64_t> oracle = testing::two_events(fabric, schedule, options);
        for (std::size_t i = 0; i < oracle.size(); ++i) { REQUIRE(timeline.kept[i].finish.ps == oracle[i]); }
    }
}

TEST_CASE("a bin in which nothing happens shows what waits all the same: queues bin by bin as the reference replay's") {
    const Fabric fabric = testing::leaf_spine(32, 8);
    Packet options = packets();
    options.series = true;
    const Schedule busy = testing::all_to_all(nics(fabric), 20'000, 0.5, microseconds(20));
    // The largest packets, three into each of three ports: for 2.6 us at a time, 26 bins, none comes and none goes.
    const Fabric star = testing::star(12);
    const Schedule slow =
        testing::messages(star, {{1, 0}, {2, 0}, {3, 0}, {5, 4}, {6, 4}, {7, 4}, {9, 8}, {10, 8}, {11, 8}}, 65'000);
    Packet jumbo = options;
    jumbo.mtu = jumbo.island_mtu = Bytes{65'000};
    std::size_t quiet = 0;  // bins with a queue and without an event
    const auto check = [&](const Fabric& on, const Schedule& schedule, const Packet& with) {
        std::map<LinkId, testing::QueueSteps> queues;
        testing::two_events(on, schedule, with, &queues);
        const Timeline timeline = replay(with, on, schedule);
        REQUIRE(!timeline.packets->series.empty());
        for (const PortSeries& port : timeline.packets->series) {
            testing::QueueSteps& steps = queues[port.link];
            steps.emplace_back(timeline.makespan.ps, 0);
            std::vector<std::int64_t> most(port.queued.size(), 0);
            std::vector<bool> event(port.queued.size(), false);
            for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
                const auto [from, bytes] = steps[i];
                event[static_cast<std::size_t>(from / port.width.ps)] = true;
                for (std::int64_t b = from / port.width.ps;
                     from < steps[i + 1].first && b * port.width.ps < steps[i + 1].first; ++b) {
                    most[static_cast<std::size_t>(b)] = std::max(most[static_cast<std::size_t>(b)], bytes);
                }
            }
            CHECK(port.queued == most);
            for (std::size_t b = 0; b < most.size(); ++b) { quiet += most[b] > 0 && !event[b] ? 1 : 0; }
        }
    };
    check(fabric, busy, options);
    check(star, slow, jumbo);
    CHECK(quiet > 100);
}

TEST_CASE("any number of threads gives the same result, to the last count", "[threads]") {
    const Fabric fabric = testing::leaf_spine(32, 8, 1, 3);
    const Schedule schedule = keep_all(testing::all_to_all(nics(fabric), 60'000, 0.5, microseconds(3)));
    for (const FlowControl control : {FlowControl::pfc, FlowControl::credits, FlowControl::lossy}) {
        for (const PacketRouting routing : {PacketRouting::ecmp, PacketRouting::adaptive}) {
            if (control == FlowControl::lossy && routing != PacketRouting::ecmp) { continue; }
            Packet options = congested(FlowControl::pfc);
            options.flow_control = control;
            options.routing = routing;
            options.buffer = control == FlowControl::lossy ? Bytes{100'000} : options.buffer;
            INFO(to_string(control) << " " << to_string(routing));
            const Timeline one = replay(options, fabric, schedule);
            for (const int threads : {2, 3}) {
                options.threads = threads;
                options.share_all_windows = true;
                check_same(one, replay(options, fabric, schedule));
            }
        }
    }
}

TEST_CASE("nodes of many devices give the same result on any number of threads, message by message too", "[threads]") {
    const Fabric fabric(tiny::cluster(6, 4, tiny::fabric(FabricKind::rail_optimized)));
    Schedule schedule;
    schedule.edge_sets.push_back(NodeRing{.nodes = 6, .order = {0, 1, 2, 3}, .exit_nic = 3, .entry_nic = 0});
    schedule.stages.push_back({46, {.src = fabric.gpu(0), .dst = fabric.gpu(1)}, nanoseconds(500)});
    Pipeline p;
    p.chunk = 40'000;
    p.bytes_per_edge = 46 * 40'000;
    p.slices = 2;
    p.cyclic = true;
    p.stage_count = 1;
    schedule.add(p);
    for (const Schedule& replayed : {keep_all(schedule), keep_all(unroll(fabric, schedule).schedule)}) {
        Packet options;
        options.mtu = options.island_mtu = Bytes{unit};
        const Timeline one = replay(options, fabric, replayed);
        for (const int threads : {2, 4}) {
            options.threads = threads;
            options.share_all_windows = true;
            check_same(one, replay(options, fabric, replayed));
        }
    }
}

TEST_CASE("the same input twice gives the same result, another seed another") {
    const Fabric fabric = testing::star(9);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> incast;
    for (std::uint32_t h = 1; h < 9; ++h) { incast.emplace_back(h, 0); }
    const Schedule schedule = testing::messages(fabric, incast, 400'000);
    Packet options = congested(FlowControl::pfc);
    options.ecn = {1, 5000, 0.5};
    const Timeline first = replay(options, fabric, schedule);
    check_same(first, replay(options, fabric, schedule));
    options.seed = 2;
    CHECK(replay(options, fabric, schedule).packets->marks != first.packets->marks);
}

}  // namespace fabricast
