// Links go down and come up while messages are under way. NICs 25 GB/s and 800 ns from NIC to NIC of one leaf; NVLink
// 100 GB/s and 1 us.

#include <algorithm>

#include "sim/engines/engine.hpp"
#include "tests/sim/engines/schedules.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/tiny_clusters.hpp"
#include "topologies/detour.hpp"

using namespace fabricast;
using testing::Random;

namespace {

double bytes_of(const Timeline& timeline, LinkClass cls) {
    for (const ClassUse& use : timeline.classes) {
        if (use.cls == cls) {
            return use.bytes;
        }
    }
    return 0;
}

// Eight nodes of one GPU and NIC under four leaves of four ports, two spines.
Fabric two_spines() {
    FabricSpec spec = tiny::fabric(FabricKind::fat_tree, 4);
    spec.choice = PathChoice::ecmp;
    return Fabric(tiny::cluster(8, 1, spec));
}

Schedule one_message(const Fabric& fabric, std::uint32_t from, std::uint32_t to, std::int64_t bytes) {
    Schedule schedule;
    schedule.connections.push_back({.path = {.src = fabric.gpu(from), .dst = fabric.gpu(to)}});
    schedule.add(Transfer{0, {bytes}, {}});
    return schedule;
}

LinkId link_of_class(const Fabric& fabric, const PathQuery& query, LinkClass cls) {
    const Path path = fabric.path(query);
    return *std::ranges::find_if(path.span(), [&](LinkId link) { return fabric.link(link).cls == cls; });
}

}  // namespace

TEST_CASE("a message goes on over another spine when its own way goes down, and loses no byte") {
    const Fabric fabric = two_spines();
    const Schedule schedule = one_message(fabric, 0, 2, 1'000'000);
    const Timeline whole = replay(Flow{}, fabric, schedule);
    const LinkId trunk = link_of_class(fabric, schedule.connections[0].path, LinkClass::leaf_spine);
    const Timeline rerouted = replay(Flow{}, fabric, schedule, {{microseconds(20), trunk, 0}});
    // The other spine is as fast and as far.
    CHECK(rerouted.makespan == whole.makespan);
    CHECK(bytes_of(rerouted, LinkClass::leaf_spine) == Approx(bytes_of(whole, LinkClass::leaf_spine)));
    CHECK(bytes_of(rerouted, LinkClass::nic_port) == Approx(bytes_of(whole, LinkClass::nic_port)));
    // The first spine carried what had left by then.
    const auto first = std::ranges::find(rerouted.busiest, trunk, &LinkUse::link);
    REQUIRE(first != rerouted.busiest.end());
    const Duration entered = microseconds(20) - fabric.path(schedule.connections[0].path).latency;
    CHECK(first->bytes == Approx(25e9 * to_seconds(entered)));
}

TEST_CASE("a message waits for its only way to come up again") {
    const Fabric fabric = two_spines();
    const Schedule schedule = one_message(fabric, 0, 1, 1'000'000);
    const Timeline whole = replay(Flow{}, fabric, schedule);
    const LinkId port = link_of_class(fabric, schedule.connections[0].path, LinkClass::nic_port);
    CHECK(replay(Flow{}, fabric, schedule, {{microseconds(10), port, 0}, {microseconds(25), port, 1}}).makespan ==
          whole.makespan + microseconds(15));
    CHECK_THROWS_AS(replay(Flow{}, fabric, schedule, {{microseconds(10), port, 0}}), CannotEnd);
}

TEST_CASE("a message whose NIC is dead leaves by the neighbour's, which both then share") {
    const Fabric fabric(tiny::two_nodes());
    Schedule schedule;
    for (const std::uint32_t gpu : {0U, 1U}) {
        schedule.connections.push_back({.path = {.src = fabric.gpu(gpu), .dst = fabric.gpu(2 + gpu)}});
        schedule.add(Transfer{gpu, {1'000'000}, {}});
    }
    const LinkId port = link_of_class(fabric, schedule.connections[0].path, LinkClass::nic_port);
    // 1 us of PCIe and cable, 40 us alone: 2 MB through one NIC take 80.
    const Timeline whole = replay(Flow{}, fabric, schedule);
    const Timeline shared = replay(Flow{}, fabric, schedule, {{Time{}, port, 0}});
    CHECK(to_seconds(shared.makespan - whole.makespan) == Approx(40e-6).margin(0.3e-6));
}

TEST_CASE("a ring keeps what it has done when a NIC goes down, and goes on at the pace of the shared one") {
    const Fabric fabric(tiny::two_nodes());
    Schedule schedule;
    Pipeline ring;
    ring.bytes_per_edge = 10e6;
    ring.chunk = 1e5;
    ring.slots = 1000;
    ring.cyclic = true;
    ring.stage_count = 1;
    for (const std::uint16_t nic : {std::uint16_t{0}, std::uint16_t{1}}) {
        schedule.edge_sets.push_back(NodeRing{.nodes = 2, .order = {0, 1}, .exit_nic = nic, .entry_nic = nic});
        schedule.stages.push_back(
            {3, {.src = fabric.gpu(1), .dst = fabric.gpu(2), .src_nic = nic, .dst_nic = nic}, {}});
        ring.edges = ring.first_stage = nic;
        schedule.add(ring);
    }
    const Timeline whole = replay(Flow{}, fabric, schedule);
    const LinkId port = link_of_class(fabric, {.src = fabric.nic(0, 0), .dst = fabric.nic(1, 0)}, LinkClass::nic_port);
    const Time half{whole.makespan.ps / 2};
    // One ring's edge from node 0 shares the other's NIC: half of the pace for what is left.
    const Timeline degraded = replay(Flow{}, fabric, schedule, {{half, port, 0}});
    CHECK(to_seconds(degraded.makespan) == Approx(1.5 * to_seconds(whole.makespan)).epsilon(0.02));
    CHECK(bytes_of(degraded, LinkClass::nic_port) == Approx(bytes_of(whole, LinkClass::nic_port)).epsilon(1e-9));
    // Up again: back on its own rail.
    const Timeline mended =
        replay(Flow{}, fabric, schedule, {{half, port, 0}, {Time{whole.makespan.ps * 3 / 4}, port, 1}});
    CHECK(to_seconds(mended.makespan) == Approx(1.125 * to_seconds(whole.makespan)).epsilon(0.02));
}

TEST_CASE("whatever trunks fail and come back, every message arrives whole") {
    const Fabric fabric = two_spines();
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        INFO("seed " << seed);
        Random random{seed};
        Schedule schedule;
        for (std::uint32_t c = 0; c < 12; ++c) {
            const auto from = random.below(8);
            const auto to = (from + 1 + random.below(7)) % 8;
            schedule.connections.push_back({.path = {.src = fabric.gpu(from), .dst = fabric.gpu(to), .flow_label = c}});
            schedule.add(Transfer{c, {static_cast<std::int64_t>(1 + random.below(2'000'000))}, {}});
            schedule.kept.push_back(OpId{c});
        }
        std::vector<LinkEvent> events;
        const std::uint32_t trunks = fabric.link_count() - fabric.node_count() * fabric.node_link_count();
        for (std::uint32_t e = 0; e < 4; ++e) {
            const LinkId link{fabric.link_count() - 1 - random.below(trunks)};
            const Time down = microseconds(random.below(100));
            events.push_back({down, link, 0});
            events.push_back({down + microseconds(1 + random.below(100)), link, 1});
        }
        const Timeline whole = replay(Flow{}, fabric, schedule);
        const Timeline rerouted = replay(Flow{}, fabric, schedule, events);
        CHECK(rerouted.kept.size() == schedule.size());
        // Whichever spine a message takes, it crosses two ports and two trunks.
        CHECK(bytes_of(rerouted, LinkClass::nic_port) == Approx(bytes_of(whole, LinkClass::nic_port)).epsilon(1e-9));
        CHECK(bytes_of(rerouted, LinkClass::leaf_spine) ==
              Approx(bytes_of(whole, LinkClass::leaf_spine)).epsilon(1e-9));
    }
}

TEST_CASE("a detour is another way, and none is taken where the own way is whole") {
    const Fabric fabric = two_spines();
    const PathQuery query{.src = fabric.gpu(0), .dst = fabric.gpu(2)};
    CHECK_FALSE(detour(fabric, query, [](LinkId) { return false; }).has_value());
    CHECK_FALSE(detour(fabric, query, [](LinkId) { return true; }).has_value());
    const LinkId trunk = link_of_class(fabric, query, LinkClass::leaf_spine);
    const auto other = detour(fabric, query, [&](LinkId link) { return link == trunk; });
    REQUIRE(other.has_value());
    const Path path = fabric.path(*other);
    CHECK(std::ranges::find(path.span(), trunk) == path.span().end());
}
