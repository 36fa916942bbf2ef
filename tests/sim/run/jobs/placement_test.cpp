// A job on nodes below one leaf is best, across leaves in turns worst, and the search says how sure it is.

#include "sim/run/jobs/placement.hpp"

#include <set>

#include "sim/run/jobs/mix_report.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

// Leaves of four nodes with one adapter each, with one cable up for four nodes.
Scenario on_place(const std::string& place, const std::string& more = "") {
    return parse_scenario(
        "name: placed\ncluster: {node: dgx-h100, nodes: 16, options: {nics: 1}, hosts: \"n[01-16]\", place: \"" +
            place +
            "\", fabric: {kind: fat-tree, scalable_unit: 4, tiers: 2, oversubscription: 4}}\n"
            "workload: {kind: collective, collective: all_reduce, algorithm: ring, protocol: simple, sizes: [64 "
            "MiB]}\n" +
            more,
        "placed.yaml");
}

PlacementSearch search(const std::string& place, std::size_t tries = 200) {
    PlacementOptions options;
    options.tries = tries;
    return search_placements(on_place(place), calibrated_catalog("", nullptr, {}), options);
}

}  // namespace

TEST_CASE("a placed job is a job on a smaller cluster of the same cables") {
    const Catalog catalog = calibrated_catalog("", nullptr, {});
    const Fabric placed(build(on_place("n[05,06,09]"), catalog));
    CHECK(placed.node_count() == 3);
    CHECK(placed.gpu_count() == 24);
    CHECK(placed.device_name(placed.gpu(8)) == "node5.gpu0");
    CHECK(placed.node_of(placed.gpu(17)) == 2);
    CHECK(placed.link_count() == placed.whole().link_count());
    const Report report = simulate(on_place("n[05-06]"), catalog);
    const Report two = simulate(on_place("n[01-02]"), catalog);
    CHECK(report.rows[0].time_s == two.rows[0].time_s);
    CHECK_THROWS_AS(simulate(on_place("n[05,05]"), catalog), InputError);
    CHECK_THROWS_AS(simulate(on_place("m5"), catalog), InputError);
}

TEST_CASE("below one leaf is best, and proved so by the time on one switch") {
    const PlacementSearch found = search("n[01,05,09,13]");
    REQUIRE(found.placed.size() == 4);
    const auto& [asked, order, best, worst] =
        std::tie(found.placed[0], found.placed[1], found.placed[2], found.placed[3]);
    CHECK(best.leaves == 1);
    REQUIRE(found.bound_s);
    CHECK(best.time_s == Approx(*found.bound_s).epsilon(0.005));
    CHECK(asked.leaves == 4);
    CHECK(worst.time_s >= asked.time_s);
    CHECK(best.time_s < asked.time_s);
    CHECK(order.time_s <= asked.time_s);
}

TEST_CASE("the order that suits best keeps nodes of a leaf together") {
    const PlacementSearch found = search("n[01,05,02,06,03,07]");
    const Placed& order = found.placed[1];
    CHECK(order.time_s < found.placed[0].time_s);
    std::set<std::string> hosts(found.order.begin(), found.order.end());
    CHECK(hosts == std::set<std::string>{"n01", "n02", "n03", "n05", "n06", "n07"});
    // A ring over two leaves crosses twice at least: each leaf's nodes side by side.
    int changes = 0;
    for (std::size_t i = 1; i < order.nodes.size(); ++i) {
        changes += order.nodes[i] / 4 != order.nodes[i - 1] / 4 ? 1 : 0;
    }
    CHECK(changes == 1);
}

TEST_CASE("small searches try everything, others say that they did not") {
    const PlacementSearch all = search("n[01,05]", 100);
    CHECK(all.every_placement);
    CHECK(all.tried == 16);  // two of four leaves, in either order, or one
    const PlacementSearch some = search("n[01-08]", 60);
    CHECK(!some.every_placement);
    CHECK(some.tried <= 75);
    CHECK(some.placed[2].time_s <= some.placed[0].time_s);
    CHECK(some.placed[3].time_s >= some.placed[0].time_s);
}

TEST_CASE("rank files of either kind name hosts in the order of ranks") {
    const auto hosts = [](const std::string& text) { return hosts_of_ranks(TextLines(text, "ranks")); };
    CHECK(hosts("# by hand\nn02 slots=8\nn01 slots=8\n") == std::vector<std::string>{"n02", "n01"});
    CHECK(hosts("n1\nn1\nn2\nn2\n") == std::vector<std::string>{"n1", "n2"});
    CHECK(hosts("n[3-4]\nn1\n") == std::vector<std::string>{"n3", "n4", "n1"});
    CHECK(hosts("rank 1=b slot=0\nrank 0=a slot=0:1\n") == std::vector<std::string>{"a", "b"});
    CHECK_THROWS_AS(hosts("n1\nn2\nn1\n"), InputError);
    CHECK_THROWS_AS(hosts("rank x=b\n"), InputError);
    CHECK_THROWS_AS(hosts("\n"), InputError);
    CHECK_THROWS_WITH(hosts("rank 0=a\nrank 0=b\n"),
                      ContainsSubstring("ranks:2:1: a rank that has a host already (found rank 0"));
    CHECK_THROWS_AS(hosts("rank 1=a\nrank 0=b\nc\n"), InputError);
}
