// What happens again is simulated once: with reuse every time and every count is what it is without, to the picosecond,
// also where something comes in the way of what had been skipped.

#include "sim/engines/engine.hpp"
#include "sim/engines/packet/make_traffic.hpp"
#include "sim/engines/packet/parts.hpp"
#include "tests/sim/engines/packet/with_reuse.hpp"
#include "tests/support/catch.hpp"

namespace fabricast {

namespace {

using testing::Both, testing::check_equal, testing::edges_between, testing::packets, testing::policies,
    testing::replayed, testing::Rings;

// How many parts of all calls are of each kind.
std::vector<std::uint64_t> uses_of_kinds(const Fabric& fabric, const Schedule& schedule, const Packet& options) {
    const Watch watch;
    return find_parts(make_traffic({fabric, schedule, {}, {}, watch}, options), true).uses;
}

}  // namespace

TEST_CASE("calls that have their links to themselves are simulated once, and all come out as if they all had been") {
    const Fabric fabric(tiny::cluster(3, 4, tiny::fabric(FabricKind::rail_optimized)));
    for (const Packet& options : policies()) {
        Rings rings{fabric, {}};
        rings.calls(rings.edges(0, 3), 40, microseconds(30), 0);
        const Both both = replayed(fabric, rings.schedule, options);
        check_equal(both.with, both.without);
        // What congestion control heeded is never taken over.
        const bool marked = both.without.packets->marks > 0;
        CHECK((both.with.packets->windows < both.without.packets->windows / 10) == !marked);
    }
}

TEST_CASE("calls side by side on links of their own are skipped each by itself") {
    const Fabric fabric(tiny::cluster(3, 4, tiny::fabric(FabricKind::rail_optimized)));
    for (const Packet& options : policies()) {
        Rings rings{fabric, {}};
        for (std::uint32_t node = 0; node < 3; ++node) {
            rings.calls(rings.edges(node, 1), 40, microseconds(20 + node), node, microseconds(7 * node));
        }
        const Both both = replayed(fabric, rings.schedule, options);
        check_equal(both.with, both.without);
        CHECK(both.with.packets->windows < both.without.packets->windows / 4);
    }
}

// Calls in each node, and now and then one over all nodes that begins at any moment of theirs.
TEST_CASE("a call that is skipped and then gets in another's way is simulated from its start after all", "[threads]") {
    const Fabric fabric(tiny::cluster(3, 4, tiny::fabric(FabricKind::rail_optimized)));
    for (const Packet& options : policies()) {
        for (const std::int64_t apart : {97, 130, 211}) {
            INFO("every " << apart << " us");
            Rings rings{fabric, {}};
            for (std::uint32_t node = 0; node < 3; ++node) {
                rings.calls(rings.edges(node, 1), 30, microseconds(5 + node), node);
            }
            rings.calls(rings.edges(0, 3), 6, microseconds(apart), 7, microseconds(apart));
            const Both both = replayed(fabric, rings.schedule, options, 3);
            check_equal(both.with, both.without);
        }
    }
}

TEST_CASE("equal parts of one call are simulated once, and calls of other pipelines take them over", "[threads]") {
    const Fabric fabric(tiny::cluster(4, 4, tiny::fabric(FabricKind::rail_optimized)));
    for (const Packet& options : policies()) {
        Rings rings{fabric, {}};
        rings.call(rings.edges_in_each(4), 20.5 * 80'000, {});
        const Both once = replayed(fabric, rings.schedule, options, 2);
        check_equal(once.with, once.without);
        const std::vector<std::uint64_t> uses = uses_of_kinds(fabric, rings.schedule, options);
        CHECK(uses == std::vector<std::uint64_t>{4});
        rings.calls(rings.edges_in_each(2), 2, microseconds(3), 0, microseconds(2000));
        rings.calls(rings.edges_in_each(3), 2, microseconds(3), 0, microseconds(5000));
        const Both again = replayed(fabric, rings.schedule, options, 2);
        check_equal(again.with, again.without);
        CHECK(again.with.packets->windows <= once.with.packets->windows + 4 * 2);  // a call begins, and ends
        CHECK(uses_of_kinds(fabric, rings.schedule, options) == std::vector<std::uint64_t>{4 + 2 * 2 + 2 * 3});
    }
}

// A call over two nodes may cross the links of the ring that is simulated, of one that follows it, or of both.
TEST_CASE("equal parts of one call part when something comes in the way of some", "[threads]") {
    const Fabric fabric(tiny::cluster(4, 4, tiny::fabric(FabricKind::rail_optimized)));
    for (const Packet& options : policies()) {
        for (const std::uint32_t first : {0U, 1U, 2U}) {
            for (const std::int64_t at : {3, 40, 61, 97, 110, 180}) {
                INFO("nodes " << first << " and on, at " << at << " us");
                Rings rings{fabric, {}};
                rings.calls(rings.edges_in_each(4), 4, microseconds(6), 0);
                rings.calls(rings.edges(first, 2), 3, microseconds(at), 7, microseconds(at));
                const Both both = replayed(fabric, rings.schedule, options, 3);
                check_equal(both.with, both.without);
            }
        }
    }
}

// The calls of all nodes begin together, and one over two nodes comes in the way of the ring that leads the others, or
// of one that follows.
TEST_CASE("equal calls of several pipelines that begin together are simulated once", "[threads]") {
    const Fabric fabric(tiny::cluster(4, 4, tiny::fabric(FabricKind::rail_optimized)));
    for (const Packet& options : policies()) {
        for (const std::uint32_t first : {0U, 1U, 2U, 9U}) {  // 9: nowhere
            for (const std::int64_t at : {3, 40, 97, 110, 180}) {
                INFO("nodes " << first << " and on, at " << at << " us");
                Rings rings{fabric, {}};
                for (std::uint32_t node = 0; node < 4; ++node) {
                    rings.calls(rings.edges(node, 1), 3, microseconds(6), node);
                }
                if (first < 4) { rings.calls(rings.edges(first, 2), 2, microseconds(at), 7, microseconds(at)); }
                const Both both = replayed(fabric, rings.schedule, options, 2);
                check_equal(both.with, both.without);
            }
        }
    }
}

// On every rail a ring over all nodes, and now and then a message from the first node to the second on each; and one
// on a single rail, which the others do not have.
TEST_CASE("what comes in the way of equal parts alike is simulated once with one of them", "[threads]") {
    const Fabric fabric(tiny::cluster(3, 4, tiny::fabric(FabricKind::rail_optimized)));
    for (const Packet& options : policies()) {
        for (const std::uint32_t rail : {0U, 1U, 3U, 4U}) {  // 4: nowhere
            for (const std::int64_t at : {310, 334, 357}) {
                INFO("rail " << rail << ", at " << at << " us");
                Rings rings{fabric, {}};
                EdgeList ring, messages, single;
                for (std::uint32_t r = 0; r < 4; ++r) {
                    for (std::uint32_t n = 0; n < 3; ++n) {
                        ring.edges.push_back({{.src = fabric.gpu(4 * n + r), .dst = fabric.gpu((n + 1) % 3 * 4 + r)}});
                    }
                    messages.edges.push_back({{.src = fabric.gpu(r), .dst = fabric.gpu(4 + r)}});
                }
                single.edges.push_back({{.src = fabric.gpu(rail % 4), .dst = fabric.gpu(8 + rail % 4)}});
                rings.schedule.edge_sets = {ring, messages, single};
                rings.calls(0, 3, microseconds(6), 0);
                rings.calls(1, 2, microseconds(20), 1, microseconds(at));
                if (rail < 4) { rings.calls(2, 2, microseconds(9), 2, microseconds(at + 25)); }
                const Both both = replayed(fabric, rings.schedule, options, 2);
                check_equal(both.with, both.without);
            }
        }
    }
}

// Three senders to one: the buffers fill and pause them. Pauses are not taken over.
TEST_CASE("calls that pause their senders are the same with reuse") {
    const Fabric fabric = testing::star(4);
    Packet options = packets(FlowControl::pfc);
    options.buffer = Bytes{200'000};
    options.ecn.k_min = options.ecn.k_max = 1e9;
    EdgeList list;
    for (std::uint32_t sender = 1; sender < 4; ++sender) {
        list.edges.push_back({{.src = fabric.gpu(sender), .dst = fabric.gpu(0)}});
    }
    for (const std::int64_t gap : {2, 3000}) {
        Rings rings{fabric, {}};
        rings.schedule.edge_sets.emplace_back(list);
        rings.calls(0, 6, microseconds(gap), 0);
        const Both both = replayed(fabric, rings.schedule, options);
        check_equal(both.with, both.without);
        CHECK(both.with.packets->pauses > 0);
    }
}

// The next call starts when the one before it is released, while what is under way for that one still arrives.
TEST_CASE("calls back to back meet the tails of those before them, and are the same with reuse") {
    const Fabric fabric(tiny::cluster(2, 4, tiny::fabric(FabricKind::rail_optimized)));
    for (const Packet& options : policies()) {
        Rings rings{fabric, {}};
        const std::uint32_t edges = rings.edges(0, 2);
        std::vector<Schedule::Dependency> after;
        for (int i = 0; i < 12; ++i) {
            after = {{rings.call(edges, 6 * 80'000, after, nanoseconds(i % 3 * 900)), DependsOn::release}};
        }
        const Both both = replayed(fabric, rings.schedule, options);
        check_equal(both.with, both.without);
    }
}

// Two groups of hosts on one switch have nothing but its buffer in common, and now and then a third one crosses both.
// What waits there at once is too little to pause anybody, just too much, or more than enough for each alone.
TEST_CASE("calls that share a buffer are skipped as long as it pauses nobody", "[threads]") {
    const Fabric fabric = testing::star(8);
    int skipped = 0, unpaused = 0, paused = 0;
    for (const std::int64_t buffer : {2'000'000, 4'000'000, 6'000'000, 7'000'000, 8'000'000, 9'000'000, 20'000'000}) {
        for (const std::int64_t third : {0, 101, 173}) {
            INFO("buffer " << buffer << ", the third every " << third << " us");
            Packet options = packets(FlowControl::pfc);
            options.buffer = Bytes{buffer};
            options.ecn.k_min = options.ecn.k_max = 1e9;
            Rings rings{fabric, {}};
            rings.schedule.edge_sets = {edges_between(fabric, {{1, 0}, {2, 0}, {3, 0}}),
                                        edges_between(fabric, {{5, 4}, {6, 4}, {7, 4}}),
                                        edges_between(fabric, {{1, 0}, {5, 4}})};
            rings.calls(0, 12, microseconds(20), 0);
            rings.calls(1, 12, microseconds(27), 1, microseconds(5));
            if (third > 0) { rings.calls(2, 4, microseconds(third), 2, microseconds(third)); }
            const Both both = replayed(fabric, rings.schedule, options, 2);
            check_equal(both.with, both.without);
            CHECK(both.with.packets->victims == both.without.packets->victims);
            (both.without.packets->pauses > 0 ? paused : unpaused) += 1;
            skipped += both.with.packets->windows * 3 < both.without.packets->windows * 2 ? 1 : 0;
        }
    }
    CHECK(paused > 2);
    CHECK(unpaused > 2);
    CHECK(skipped > 2);
}

// Two of the switch's inputs are at their fullest when four others have been, since they forward what those have sent:
// together they never hold what the sum of the fullest would be. Whenever the call pauses nobody, the next is skipped.
TEST_CASE("a call that pauses nobody is skipped in the smallest buffer in which it does not") {
    const Fabric fabric = testing::star(8);
    EdgeList list;
    for (const auto& [from, to] : testing::Pairs{{1, 0}, {2, 0}, {5, 4}, {6, 4}, {0, 3}, {4, 3}}) {
        list.edges.push_back({{.src = fabric.gpu(from), .dst = fabric.gpu(to)}});
    }
    int paused = 0, close = 0;  // buffers that are too small, and those a little larger
    for (std::int64_t buffer = 1'000'000; close < 4; buffer += buffer / 16) {
        INFO("buffer " << buffer);
        Packet options = packets(FlowControl::pfc);
        options.buffer = Bytes{buffer};
        options.alpha = 1;
        options.ecn.k_min = options.ecn.k_max = 1e9;
        Rings rings{fabric, {}};
        rings.schedule.edge_sets = {list};
        rings.calls(0, 12, microseconds(30), 0);
        for (Pipeline& call : rings.schedule.pipelines) {
            call.chunk = call.bytes_per_edge = 2'000'000;
            call.slices = 1;
        }
        const Both both = replayed(fabric, rings.schedule, options);
        check_equal(both.with, both.without);
        if (both.without.packets->pauses > 0) {
            ++paused;
            continue;
        }
        ++close;
        CHECK(both.with.packets->windows * 3 < both.without.packets->windows);
    }
    CHECK(paused > 4);
}

// A long call over both halves of the hosts, and beside it shorter ones that begin a little later, one after the other:
// as gradients are reduced beside all-to-alls. Now and then one of these is late, or does not come. Where the shorter
// ones are several parts, the long one begins last and meets all of them at once.
TEST_CASE("what meets again in the same way is simulated once", "[threads]") {
    const Fabric fabric = testing::star(8);
    Packet options = packets(FlowControl::pfc);
    options.buffer = Bytes{50'000'000};
    options.ecn.k_min = options.ecn.k_max = 1e9;
    const EdgeList one_part = edges_between(fabric, {{1, 0}, {2, 0}, {3, 0}}),
                   beside_it = edges_between(fabric, {{1, 0}, {0, 2}});
    const EdgeList over_all = edges_between(fabric, {{1, 0}, {1, 2}, {3, 2}, {3, 4}, {5, 4}}),
                   parts = edges_between(fabric, {{1, 0}, {3, 2}, {5, 4}});
    for (const int odd : {0, 1, 2, 3, 4, 5, 6, 7}) {  // nothing; one late; one missing; something crosses; in parts
        INFO("odd " << odd);
        const bool several = odd > 3;
        Rings rings{fabric, {}};
        rings.schedule.edge_sets = {several ? over_all : one_part, several ? parts : beside_it,
                                    edges_between(fabric, {{2, 5}, {5, 1}})};
        OpId last = rings.delay({}, 0);
        for (int i = 0; i < 8; ++i) {
            const std::vector<Schedule::Dependency> after{{last}};
            const OpId reduction = rings.call(0, 60.5 * 80'000, after, nanoseconds(several ? 152 : 0));
            OpId beside = rings.call(1, 20.5 * 80'000, after, nanoseconds(odd % 4 == 1 && i == 5 ? 700 : 52));
            for (int more = 0; more < 2 && !(odd % 4 == 2 && i == 4); ++more) {
                beside = rings.call(1, 20.5 * 80'000, std::vector<Schedule::Dependency>{{beside}});
            }
            last = rings.delay(microseconds(30), 0, std::vector<Schedule::Dependency>{{reduction}, {beside}});
        }
        if (odd % 4 == 3) { rings.calls(2, 3, microseconds(400), 1, microseconds(900)); }
        const Both both = replayed(fabric, rings.schedule, options, 2);
        check_equal(both.with, both.without);
        CHECK(both.without.packets->pauses == 0);
        if (several) { continue; }  // no part of the short calls is ever alone here, so nothing is known of them
        CHECK(both.with.packets->windows < both.without.packets->windows * (odd == 0 ? 1 : 3) / 4);
    }
}

// As a plan names the calls of a stage's layers: one pipeline, with bytes, start and stages of all of them.
TEST_CASE("several calls of one pipeline are those calls one after the other") {
    const Fabric fabric(tiny::cluster(3, 4, tiny::fabric(FabricKind::rail_optimized)));
    for (const Packet& options : policies()) {
        Rings apart{fabric, {}}, joint{fabric, {}};
        const std::uint32_t edges = apart.edges(0, 3);
        std::vector<Schedule::Dependency> after;
        for (int i = 0; i < 5; ++i) { after = {{apart.call(edges, 20.5 * 80'000, after, microseconds(4))}}; }
        apart.call(edges, 80'000, after);
        const OpId five = joint.call(joint.edges(0, 3), 5 * 20.5 * 80'000, {}, microseconds(5 * 4));
        joint.schedule.stages.push_back(joint.schedule.stages[0]);
        joint.schedule.stages.back().count *= 5;
        joint.schedule.pipelines[0].first_stage = 1;
        joint.schedule.pipelines[0].calls = 5;
        joint.call(0, 80'000, std::vector<Schedule::Dependency>{{five}});
        const Both both = replayed(fabric, joint.schedule, options);
        check_equal(both.with, both.without);
        const Timeline known = replay(options, fabric, apart.schedule);
        REQUIRE(both.with.kept.size() == 2);
        CHECK(both.with.kept[0].op == five);
        CHECK(both.with.kept[0].start == known.kept[0].start);
        CHECK(both.with.kept[0].release == known.kept[4].release);
        CHECK(both.with.kept[0].finish == known.kept[4].finish);
        CHECK(both.with.kept[1].finish == known.kept[5].finish);
        CHECK(both.with.packets->hops == known.packets->hops);
    }
}

}  // namespace fabricast
