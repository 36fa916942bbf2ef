// A long transfer that repeats itself is skipped to where it no longer does, and everything comes out as if every
// packet of it had been simulated, also where something comes in its way meanwhile.

#include "tests/sim/engines/packet/with_reuse.hpp"

namespace fabricast {

namespace {

using testing::Both, testing::check_equal, testing::edges_between, testing::packets, testing::policies,
    testing::replayed, testing::Rings;

constexpr double chunk = 80'000;

}  // namespace

TEST_CASE("a long call is simulated until it repeats itself, and at its end", "[threads]") {
    const Fabric fabric(tiny::cluster(3, 4, tiny::fabric(FabricKind::rail_optimized)));
    std::size_t skipped = 0;
    for (const Packet& options : policies()) {
        for (const std::uint32_t nodes : {1U, 3U}) {
            for (const double chunks : {30.5, 400.0, 1000.5}) {
                INFO(chunks << " chunks over " << nodes << " nodes");
                Rings rings{fabric, {}};
                rings.call(rings.edges(0, nodes), chunks * chunk, {});
                const Both both = replayed(fabric, rings.schedule, options, 2);
                check_equal(both.with, both.without);
                skipped += both.with.packets->windows * 8 < both.without.packets->windows ? 1 : 0;
            }
        }
    }
    CHECK(skipped == 10);  // the short ones are not, and what congestion control marks is never
}

// The numbers of packets begin again from zero after 65,536.
TEST_CASE("a call is skipped over the end of its packets' numbers") {
    const Fabric fabric(tiny::cluster(2, 4, tiny::fabric(FabricKind::rail_optimized)));
    Packet options = policies().front();
    options.mtu = options.island_mtu = Bytes{1000};
    Rings rings{fabric, {}};
    rings.call(rings.edges(0, 2), 1800 * chunk, {});
    const Both both = replayed(fabric, rings.schedule, options);
    CHECK(both.without.packets->delivered > 8 * 65'536);
    check_equal(both.with, both.without);
    CHECK(both.with.packets->windows * 20 < both.without.packets->windows);
}

TEST_CASE("what comes in the way of a long call finds it as if nothing of it had been skipped", "[threads]") {
    const Fabric fabric(tiny::cluster(3, 4, tiny::fabric(FabricKind::rail_optimized)));
    std::size_t skipped = 0;
    for (const Packet& options : policies()) {
        for (const std::int64_t at : {900, 1501, 1502, 2203, 3304}) {
            INFO("at " << at << " us");
            Rings rings{fabric, {}};
            rings.call(rings.edges(0, 3), 400 * chunk, {});
            rings.calls(rings.edges(1, 1), 2, microseconds(700), 7, microseconds(at));  // on some of its links
            rings.calls(rings.edges(0, 2), 1, microseconds(1), 8, microseconds(2 * at));
            const Both both = replayed(fabric, rings.schedule, options, 3);
            check_equal(both.with, both.without);
            skipped += both.with.packets->windows * 4 < both.without.packets->windows * 3 ? 1 : 0;
        }
    }
    CHECK(skipped >= 8);
}

// They share a switch's buffer, which would pause them if it were smaller.
TEST_CASE("long calls beside each other keep room in a buffer for what is skipped of them", "[threads]") {
    const Fabric fabric = testing::star(8);
    std::size_t skipped = 0, paused = 0;
    for (const std::int64_t buffer : {500'000, 2'000'000, 4'000'000, 8'000'000, 20'000'000}) {
        for (const std::int64_t second : {0, 1201}) {
            INFO("buffer " << buffer << ", the second at " << second << " us");
            Packet options = packets(FlowControl::pfc);
            options.buffer = Bytes{buffer};
            options.ecn.k_min = options.ecn.k_max = 1e9;
            Rings rings{fabric, {}};
            rings.schedule.edge_sets = {edges_between(fabric, {{1, 0}, {2, 0}}),
                                        edges_between(fabric, {{5, 4}, {6, 4}}),
                                        edges_between(fabric, {{1, 0}, {5, 4}})};
            rings.call(0, 300 * chunk, {});
            rings.calls(1, 2, microseconds(20), 1, microseconds(second));
            rings.call(1, 300 * chunk, std::vector<Schedule::Dependency>{{rings.delay(microseconds(3000), 2)}});
            rings.calls(2, 2, microseconds(500), 3, microseconds(4000));
            const Both both = replayed(fabric, rings.schedule, options, 2);
            check_equal(both.with, both.without);
            paused += both.without.packets->pauses > 0 ? 1 : 0;
            skipped += both.with.packets->windows * 4 < both.without.packets->windows * 3 ? 1 : 0;
        }
    }
    CHECK(paused > 0);
    CHECK(skipped > 3);
}

}  // namespace fabricast
