// What a failure costs: both runs side by side, and who goes round.

#include "sim/explain/outage.hpp"

#include <algorithm>
#include <string>

#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

Scenario transfer(const std::string& engine = "flow") {
    return parse_scenario("name: t\ncluster: {node: dgx-a100, nodes: 2}\nengine: " + engine +
                              "\nworkload: {kind: transfer, from: node0.gpu0, to: node1.gpu0, sizes: [64 MiB]}\n",
                          "t.yaml");
}

Outage cost_of(Scenario scenario, const std::vector<std::string>& names) {
    scenario.events = without(Fabric(build(scenario, catalogue())), names);
    return outage(scenario, catalogue());
}

}  // namespace

TEST_CASE("a dead optic sends its traffic by the next adapter") {
    const Outage found = cost_of(transfer(), {"node0.nic0", "leaf0"});
    REQUIRE(found.rows.size() == 1);
    CHECK(found.rows[0].failed_s >= found.rows[0].healthy_s);
    CHECK(found.rows[0].cost() < 0.05);  // the next adapter hangs on the same switch
    CHECK(found.ways == 1);
    REQUIRE(found.diverted.size() == 1);
    CHECK(found.diverted[0].left.find("node0.nic0") != std::string::npos);
    CHECK(found.diverted[0].taken.find("nic1") != std::string::npos);
    const std::string told = to_text(found);
    CHECK(told.find("1 of 1 ways between neighbours go round") != std::string::npos);
    CHECK(to_json(found).at("rows").size() == 1);
}

TEST_CASE("packets tell the same story of a dead adapter as the fluid") {
    const double fluid = cost_of(transfer(), {"node0.nic0"}).rows.at(0).failed_s;
    CHECK(cost_of(transfer("packet"), {"node0.nic0"}).rows.at(0).failed_s == Approx(fluid).epsilon(0.05));
}

TEST_CASE("of a bundle one dead cable takes its part, and nothing goes round") {
    // Twelve NVLinks to the NVSwitch.
    Scenario scenario = transfer();
    std::get<TransferWorkload>(scenario.workload).to = "node0.gpu1";
    const std::vector<LinkChange> changes =
        without(Fabric(build(scenario, catalogue())), {"node0.gpu0", "node0.nvswitch"});
    REQUIRE(changes.size() == 2);
    CHECK(changes[0].share == Approx(11.0 / 12));
    const Outage found = cost_of(scenario, {"node0.gpu0", "node0.nvswitch"});
    CHECK(found.diverted.empty());
    CHECK(found.rows[0].cost() == Approx(1.0 / 11).epsilon(0.05));
}

TEST_CASE("a dead spine takes all its parallel cables, and traffic goes by the others") {
    const Scenario scenario = parse_scenario(
        "name: t\ncluster: {node: dgx-h100, nodes: 32, fabric: {kind: fat-tree, link: ethernet-400g, switch: "
        "tomahawk-4}}\n"
        "workload: {kind: collective, collective: all_reduce, algorithm: ring, sizes: [64 MiB]}\n",
        "t.yaml");
    const Outage found = cost_of(scenario, {"spine0"});
    CHECK_FALSE(found.diverted.empty());
    CHECK(found.cut.empty());
    for (const Diverted& way : found.diverted) {
        CHECK(way.taken.find("spine0") == std::string::npos);
    }
}

TEST_CASE("what nothing replaces cannot end, and what is not there is named") {
    Scenario scenario = transfer();
    scenario.cluster.node = "gh200-1x";
    CHECK_THROWS_AS(cost_of(scenario, {"leaf0"}), CannotEnd);
    CHECK_THROWS_AS(cost_of(transfer(), {"leaf99"}), ClusterError);
    CHECK_THROWS_AS(cost_of(transfer(), {"node0.gpu0", "node1.gpu0"}), ClusterError);
}
