// Links that go down under packets: what was on the way is lost, repeated on another way, and arrives. NICs 25 GB/s.

#include <algorithm>

#include "sim/engines/engine.hpp"
#include "sim/engines/packet/options.hpp"
#include "tests/sim/engines/failing_links.hpp"
#include "tests/sim/engines/packet/network.hpp"
#include "tests/support/catch.hpp"

namespace fabricast {

namespace {

using testing::link_of_class;
using testing::packets;
using testing::two_spines;
using testing::unit;

Schedule one_message(const PathQuery& path, std::int64_t bytes) {
    Schedule schedule;
    schedule.connections.push_back({.path = path});
    schedule.kept.push_back(schedule.add(Transfer{0, {bytes}, {}}));
    return schedule;
}

double bytes_over(const Timeline& timeline, LinkId link) {
    const auto found = std::ranges::find(timeline.busiest, link, &LinkUse::link);
    return found == timeline.busiest.end() ? 0 : found->bytes;
}

}  // namespace

TEST_CASE("packets go on over another spine when their own goes down, and what it held is sent again") {
    const Fabric fabric = two_spines();
    const Schedule schedule = one_message({.src = fabric.gpu(0), .dst = fabric.gpu(2)}, 500 * unit);
    const LinkId trunk = link_of_class(fabric, schedule.connections[0].path, LinkClass::leaf_spine);
    for (const FlowControl control : {FlowControl::lossless, FlowControl::pfc, FlowControl::credits}) {
        INFO(to_string(control));
        const Timeline whole = replay(packets(control), fabric, schedule);
        const Timeline rerouted = replay(packets(control), fabric, schedule, {{microseconds(20), trunk, 0}});
        // The leaf sends on what it holds over its other trunk, as far and as fast: nothing is lost, and what left
        // later cannot overtake.
        CHECK(rerouted.packets->drops == 0);
        CHECK(rerouted.packets->resent == 0);
        CHECK(rerouted.makespan == whole.makespan);
        CHECK(bytes_over(rerouted, trunk) == Approx(25e9 * 20e-6).epsilon(0.1));
        CHECK(rerouted.packets->delivered_bytes == 500.0 * unit);
        // The spine's link to the leaf cannot be gone round by what is on its way there.
        const Path path = fabric.path(schedule.connections[0].path);
        const auto behind = std::ranges::find(path.span(), trunk) + 1;
        const Timeline lost = replay(packets(control), fabric, schedule, {{microseconds(20), *behind, 0}});
        CHECK(lost.packets->drops > 0);
        CHECK(lost.packets->resent >= lost.packets->drops);
        // The gap is noticed by the first packet that comes the new way, without a timeout: a round trip and the lost.
        CHECK(lost.packets->timeouts == 0);
        CHECK(lost.makespan > whole.makespan);
        CHECK(lost.makespan.ps <= whole.makespan.ps + lost.packets->resent * 160'000 + 2 * path.latency.ps);
        CHECK(lost.packets->delivered_bytes >= 500.0 * unit);
    }
}

TEST_CASE("packets of a dead NIC leave by the neighbour's, and come back when it is up again") {
    const Fabric fabric(tiny::two_nodes());
    Schedule schedule;
    for (const std::uint32_t gpu : {0U, 1U}) {
        schedule.connections.push_back({.path = {.src = fabric.gpu(gpu), .dst = fabric.gpu(2 + gpu)}});
        schedule.kept.push_back(schedule.add(Transfer{gpu, {500 * unit}, {}}));
    }
    const LinkId port = link_of_class(fabric, schedule.connections[0].path, LinkClass::nic_port);
    const Timeline whole = replay(packets(), fabric, schedule);
    const double alone = to_seconds(whole.makespan);
    const Timeline dead = replay(packets(), fabric, schedule, {{Time{}, port, 0}});
    CHECK(to_seconds(dead.makespan) == Approx(2 * alone).epsilon(0.03));
    CHECK(bytes_over(dead, port) == 0);
    const Timeline fluid = replay(Flow{}, fabric, schedule, {{Time{}, port, 0}});
    CHECK(to_seconds(dead.makespan) == Approx(to_seconds(fluid.makespan)).epsilon(0.03));
    // NVLink takes 20 us to bring the message to the neighbour: what has not set out after 10 goes back to its own NIC.
    const Timeline mended = replay(packets(), fabric, schedule, {{Time{}, port, 0}, {microseconds(10), port, 1}});
    CHECK(bytes_over(mended, port) > 0);
    CHECK(mended.makespan < dead.makespan);
}

TEST_CASE("a ring of packets goes on at the pace of the shared NIC, as the fluid one does") {
    const Fabric fabric(tiny::two_nodes());
    const Schedule schedule = testing::two_rails(fabric);
    const LinkId port = link_of_class(fabric, {.src = fabric.nic(0, 0), .dst = fabric.nic(1, 0)}, LinkClass::nic_port);
    Packet options = packets(FlowControl::credits);
    options.retransmit_timeout = microseconds(200);
    const Time all = replay(options, fabric, schedule).makespan;
    const double whole = to_seconds(all);
    const double degraded = to_seconds(replay(options, fabric, schedule, {{{all.ps / 2}, port, 0}}).makespan);
    // What the GPU beside the dead NIC had been sent for it is lost with it, and repeated after a timeout.
    CHECK(degraded > 1.4 * whole);
    CHECK(degraded < 1.5 * whole + 2 * 200e-6);
}

TEST_CASE("what left a link before its rate changed arrives as if nothing had happened") {
    const Fabric fabric = two_spines();
    const Schedule schedule = one_message({.src = fabric.gpu(0), .dst = fabric.gpu(2)}, 500 * unit);
    const Path path = fabric.path(schedule.connections[0].path);
    const LinkId trunk = link_of_class(fabric, schedule.connections[0].path, LinkClass::leaf_spine);
    // The last packets are on their way along the trunk: it is idle, and the next link takes them as they come.
    Time rest{fabric.link(trunk).latency.ps / 2};
    for (const LinkId link : std::span(std::ranges::find(path.span(), trunk) + 1, path.span().end())) {
        rest = rest + fabric.link(link).latency;
    }
    for (const double before : {1.0, 0.5}) {
        for (const FlowControl control : {FlowControl::lossless, FlowControl::pfc, FlowControl::credits}) {
            const std::vector<LinkEvent> begins = {{Time{}, trunk, before}};
            const Time end = replay(packets(control), fabric, schedule, begins).makespan;
            const std::vector<LinkEvent> changes = {begins[0], {end - rest, trunk, 1.5 - before}};
            CHECK(replay(packets(control), fabric, schedule, changes).makespan == end);
        }
    }
}

TEST_CASE("whatever trunks fail and come back, every message of packets arrives whole", "[threads]") {
    const Fabric fabric = two_spines();
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        INFO("seed " << seed);
        auto [schedule, events, bytes] = testing::random_outages(fabric, seed, 1'000'000);
        for (std::size_t e = 1; e < events.size() && seed % 4 == 0; e += 2) { events[e].share = 0.4; }
        for (const FlowControl control : {FlowControl::pfc, FlowControl::credits}) {
            Packet options = packets(control);
            options.recovery = seed % 2 == 0 ? LossRecovery::go_back_n : LossRecovery::selective_repeat;
            options.routing = seed % 3 == 0 ? PacketRouting::spray : PacketRouting::ecmp;
            const Timeline rerouted = replay(options, fabric, schedule, events);
            CHECK(rerouted.kept.size() == schedule.size());
            CHECK(rerouted.packets->delivered_bytes >= bytes);
            options.threads = 2;
            options.share_all_windows = true;
            CHECK(replay(options, fabric, schedule, events).makespan == rerouted.makespan);
        }
    }
}

}  // namespace fabricast
