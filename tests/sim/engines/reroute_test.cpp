// Links go down and come up while messages are under way. NICs 25 GB/s and 800 ns from NIC to NIC of one leaf; NVLink
// 100 GB/s and 1 us.

#include <algorithm>

#include "sim/engines/engine.hpp"
#include "tests/sim/engines/failing_links.hpp"
#include "tests/support/catch.hpp"
#include "topologies/detour.hpp"

using namespace fabricast;
using testing::link_of_class;
using testing::two_spines;

namespace {

double bytes_of(const Timeline& timeline, LinkClass cls) {
    for (const ClassUse& use : timeline.classes) {
        if (use.cls == cls) { return use.bytes; }
    }
    return 0;
}

Schedule one_message(const Fabric& fabric, std::uint32_t from, std::uint32_t to, std::int64_t bytes) {
    Schedule schedule;
    schedule.connections.push_back({.path = {.src = fabric.gpu(from), .dst = fabric.gpu(to)}});
    schedule.add(Transfer{0, {bytes}, {}});
    return schedule;
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
    const Schedule schedule = testing::two_rails(fabric);
    const Timeline whole = replay(Flow{}, fabric, schedule);
    const LinkId port = link_of_class(fabric, {.src = fabric.nic(0, 0), .dst = fabric.nic(1, 0)}, LinkClass::nic_port);
    const Time half{whole.makespan.ps / 2};
    // One ring's edge from node 0 shares the other's NIC: half of the pace for what is left.
    const Timeline degraded = replay(Flow{}, fabric, schedule, {{half, port, 0}});
    CHECK(to_seconds(degraded.makespan) == Approx(1.5 * to_seconds(whole.makespan)).epsilon(0.03));
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
        const auto [schedule, events, bytes] = testing::random_outages(fabric, seed, 2'000'000);
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

TEST_CASE("the only whole uplink of 64 is found from every pair of nodes") {
    // Leaves of 64 nodes: 64 ways up to one spine each.
    FabricSpec spec = tiny::fabric(FabricKind::fat_tree, 128);
    spec.tiers = 2;
    spec.choice = PathChoice::ecmp;
    const Fabric fabric(tiny::cluster(128, 1, spec));
    const auto uplink = [&](std::uint32_t from, std::uint32_t label) {
        return link_of_class(fabric, {.src = fabric.gpu(from), .dst = fabric.gpu(127), .flow_label = label},
                             LinkClass::leaf_spine);
    };
    const LinkId only = uplink(0, 0);
    const DeviceId leaf = fabric.ends(only).from;
    const auto down = [&](LinkId link) {
        return link != only && fabric.ends(link).from == leaf && fabric.link(link).cls == LinkClass::leaf_spine;
    };
    for (std::uint32_t from = 0; from < 64; ++from) {
        for (std::uint32_t to = 64; to < 128; ++to) {
            const PathQuery query{.src = fabric.gpu(from), .dst = fabric.gpu(to), .flow_label = from * 64 + to};
            const auto other = detour(fabric, query, down);
            const PathQuery& taken = other ? *other : query;
            INFO(from << " to " << to);
            REQUIRE(link_of_class(fabric, taken, LinkClass::leaf_spine) == only);
        }
    }
}
