// Prices and watts over a bill of materials: sums that can be made on paper from the catalogue.

#include "sim/run/study/parts_list.hpp"

#include <algorithm>
#include <map>
#include <regex>

#include "sim/run/study/ownership.hpp"
#include "sim/run/study/prices.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

Scenario scenario_of(const std::string& cluster, const std::string& more = "") {
    return parse_scenario("name: s\ncluster: {" + cluster +
                              "}\nworkload: {kind: collective, collective: all_reduce, sizes: [1 GiB]}\n" + more,
                          "s.yaml");
}

PartsList listed(const Scenario& s, const Catalog& catalog = catalogue()) {
    return parts_list(s, Fabric(build(s, catalog)), catalog);
}

const std::string pod =
    "node: dgx-h100, nodes: 128, fabric: {kind: rail-optimized, link: infiniband-ndr, "
    "switch: quantum-2}";

}  // namespace

TEST_CASE("a pod of 1,024 GPUs costs its nodes, switches and modules") {
    const PartsList list = listed(scenario_of(pod));
    REQUIRE(list.priced());
    REQUIRE(list.powered());
    CHECK(list.modules() == 2 * (1024 + 1024));
    CHECK(list.cables.size() == 2);
    CHECK(list.cables[0].metres == 10);
    CHECK(list.cables[1].metres == 30);
    // 128 x 310 k, 48 x 36 k, 4,096 x 640 USD.
    CHECK(capital_usd(list) == Approx(128 * 310e3 + 48 * 36e3 + 4096 * 640.0));
    CHECK(it_watts(list) == Approx(128 * 9000 + 48 * 747 + 4096 * 8.5));
    // The price sheet behind these figures says 34 k USD of network for each node.
    CHECK((capital_usd(list) - 128 * 310e3) / 128 == Approx(34e3).epsilon(0.02));
    CHECK(guessed_share(list) == 0);
    CHECK(list.missing().empty());
}

TEST_CASE("a node that was changed is priced by its parts, and estimates are counted as guesses") {
    const PartsList list = listed(scenario_of("node: dgx-h100, nodes: 4, options: {nics: 4}"));
    REQUIRE(list.priced());
    // 32 GPUs of 30 k, 16 NICs of 1.9 k, 4 hosts of 55 k, one switch, 2 x 16 modules.
    CHECK(capital_usd(list) == Approx(32 * 30e3 + 16 * 1900 + 4 * 55e3 + 36e3 + 32 * 640.0));
    CHECK(guessed_share(list) == Approx((16 * 1900 + 4 * 55e3) / capital_usd(list)));
}

// DGX H100: 9,000 W, eight NICs of 25 W each.
TEST_CASE("a node without one of its NICs draws what the system draws, less that NIC") {
    const double whole = it_watts(listed(scenario_of("node: dgx-h100, nodes: 16")));
    const PartsList seven = listed(scenario_of("node: dgx-h100, nodes: 16, options: {nics: 7}"));
    const double network = 2 * 16 * 8.5;  // the two modules of each node's cable that is not there
    CHECK(whole - it_watts(seven) > 16 * 25 + network - 1);
    CHECK(whole - it_watts(seven) < 16 * 25 + network + 8 * 747);  // and perhaps switches
    CHECK(seven.lines.at(2).watts_each * seven.lines.at(2).count == 16);
    CHECK(seven.lines.at(2).watts->value.front() == Approx(9000 - 8 * 700 - 8 * 25));
    CHECK(power_basis(seven) == "dgx-h100-system");
    CHECK(power_basis(listed(scenario_of("node: hgx-h100, nodes: 16"))).empty());
    CHECK(uses_price(seven, catalogue(), "dgx-h100-system/power.typical", false));
    CHECK_FALSE(uses_price(seven, catalogue(), "host-8gpu/power.typical", false));
}

TEST_CASE("another adapter makes a node another system, with another price") {
    const PartsList same = listed(scenario_of("node: dgx-h100, nodes: 2"));
    const PartsList other = listed(scenario_of("node: dgx-h100, nodes: 2, options: {nic: connectx-6}"));
    CHECK(same.lines.front().what == "nodes");
    CHECK(other.lines.front().what == "GPUs");
    CHECK(other.lines.at(1).part == "connectx-6");
}

TEST_CASE("GPUs that a job leaves unused are bought with their nodes") {
    const PartsList all = listed(scenario_of(pod));
    const PartsList half = listed(scenario_of(pod + ", gpus_per_node: 4"));
    CHECK(half.lines.front().part == "dgx-h100-system");
    CHECK(half.lines.front().count == 128);
    CHECK(capital_usd(half) == capital_usd(all));
    CHECK(it_watts(half) == it_watts(all));
    CHECK(half.bill.gpus == 1024);  // whoever operates the cluster operates all of them
    // 64 of a rack's 72 GPUs leave two of its trays unused, with their NICs' cables.
    const PartsList rack = listed(scenario_of("node: gb200-nvl72, nodes: 2, gpus_per_node: 64"));
    CHECK(rack.lines.front().part == "gb200-nvl72-system");
    CHECK(rack.cables.at(0).cables == 128);
    // Nodes that were changed are bought as parts, again with all of their GPUs; so is each of several kinds.
    const PartsList changed = listed(scenario_of("node: dgx-h100, nodes: 4, gpus_per_node: 4, options: {nics: 4}"));
    CHECK(changed.lines.at(0).count == 32);
    CHECK(changed.lines.at(2).count == 4);  // hosts
    const PartsList kinds = listed(
        scenario_of("nodes: [{node: dgx-h100, count: 2}, {node: dgx-a100, count: 3}], gpus_per_node: 4, options: "
                    "{nics: 4}"));
    CHECK(kinds.lines.at(0).part == "h100-sxm");
    CHECK(kinds.lines.at(0).count == 16);
    CHECK(kinds.lines.at(3).part == "a100-sxm4-40");
    CHECK(kinds.lines.at(3).count == 24);
}

TEST_CASE("each cable of a NIC with several planes has modules of its share of the rate") {
    const auto modules = [](const std::string& network, const std::string& planes) {
        const PartsList list = listed(scenario_of("node: dgx-h100, nodes: 128, fabric: {kind: dual-plane, " + network +
                                                  ", planes: " + planes + "}"));
        const auto line =
            std::ranges::find_if(list.lines, [](const PartLine& l) { return l.what.starts_with("node-leaf optics"); });
        REQUIRE(line != list.lines.end());
        return std::pair{line->part, line->count};
    };
    const std::string infiniband = "link: infiniband-ndr, switch: quantum-2";
    const std::string ethernet = "link: ethernet-400g, switch: spectrum-4";
    CHECK(modules(infiniband, "2") == std::pair<std::string, double>{"optics-200g", 2 * 2 * 1024});
    CHECK(modules(ethernet, "4") == std::pair<std::string, double>{"optics-100g", 2 * 4 * 1024});
}

TEST_CASE("each cable of a graph has modules of its own link or rate") {
    const PartsList list = listed(
        scenario_of("node: dgx-h100, nodes: 4, fabric: {kind: explicit, link: infiniband-ndr}, graph: {devices: "
                    "[{name: left, part: "
                    "quantum-2}, {name: right, part: quantum-2}], cables: [{a: node0-1.nic0, b: left}, {a: "
                    "node2-3.nic0, b: right}, "
                    "{a: left, b: right, count: 4, link: infiniband-hdr}, {a: left, b: right, rate: 100 Gb/s}]}"));
    std::map<std::pair<std::string, std::string>, double> counts;
    for (const PartLine& line : list.lines) { counts[{line.what, line.part}] += line.count; }
    CHECK((counts[{"node-switch optics, 10 m", "optics-400g"}] == 8));
    CHECK((counts[{"switch-switch optics, 30 m", "optics-200g"}] == 8));
    CHECK((counts[{"switch-switch optics, 30 m", "optics-100g"}] == 2));
    CHECK(list.modules() == 18);
}

TEST_CASE("a price is used where a line of the bill, or a cost of tokens, counts it") {
    const PartsList list = listed(scenario_of(pod));
    const auto used = [&](const char* key, bool tokens = false) { return uses_price(list, catalogue(), key, tokens); };
    CHECK(used("quantum-2"));
    CHECK(used("dgx-h100-system"));
    CHECK(used("optics-400g/power.typical"));
    CHECK_FALSE(used("h100-sxm"));  // the node is bought as a system
    CHECK_FALSE(used("connectx-7/power.typical"));
    CHECK_FALSE(used("optics-400g/power.max"));  // its typical power is known
    CHECK(used("data-centre/pue"));
    CHECK_FALSE(used("data-centre/electricity"));
    CHECK(used("data-centre/electricity", true));
    CHECK(used("ownership/years", true));
    CHECK_FALSE(used("ownership", true));
}

TEST_CASE("copper joins what it reaches") {
    Catalog near = catalogue();
    near.parts.at("usual-layout").figures.at("node_cable").value = {2};
    const PartsList list = listed(scenario_of(pod), near);
    CHECK(list.cables[0].medium == "dac");  // 2 m at 100 Gb/s a lane
    CHECK(list.cables[0].modules == 0);
    CHECK(list.modules() == 2 * 1024);
    CHECK(capital_usd(list) == Approx(128 * 310e3 + 48 * 36e3 + 2048 * 640.0 + 1024 * 250.0));
    near.parts.at("usual-layout").figures.at("node_cable").value = {3};
    CHECK(listed(scenario_of(pod), near).cables[0].medium == "smf");
}

TEST_CASE("a scenario's prices stand in place of the catalogue's") {
    const Scenario s = scenario_of(pod, "prices: {quantum-2: 20000 USD, data-centre/pue: 1.5}\n");
    Catalog catalog = catalogue();
    apply_prices(s, catalog);
    CHECK(capital_usd(listed(s, catalog)) == Approx(128 * 310e3 + 48 * 20e3 + 4096 * 640.0));
    CHECK(ownership(catalog, 1024).pue == 1.5);
    const Figure& price = catalog.at("switch", "quantum-2").figure("price");
    CHECK(price.low80 == price.high80);
    CHECK(price.source.front() == "prices of s");
    CHECK(price.origin == Origin::stated);
}

TEST_CASE("prices of unknown parts and in wrong units are refused at their line") {
    const auto refused = [](const std::string& prices) -> std::string {
        Catalog catalog = catalogue();
        try {
            apply_prices(scenario_of(pod, "prices: {" + prices + "}\n"), catalog);
        } catch (const InputError& error) { return error.what(); }
        return "accepted";
    };
    CHECK_THAT(refused("quantum-3: 20000 USD"), ContainsSubstring("s.yaml:4:") && ContainsSubstring("quantum-2"));
    CHECK_THAT(refused("quantum-2: 20 W"), ContainsSubstring("USD"));
    CHECK_THAT(refused("quantum-2/colour: 1"), ContainsSubstring("colour"));
    CHECK_THAT(refused("quantum-2: cheap"), ContainsSubstring("s.yaml:4:"));
    // What a cluster is built of, and not what it costs: a study alone would take it.
    CHECK_THAT(refused("quantum-2/radix: 128"), ContainsSubstring("s.yaml:4:") && ContainsSubstring("is no price"));
    CHECK_THAT(refused("quantum-2/latency: 1 us"), ContainsSubstring("is no price"));
    CHECK_THAT(refused("quantum-2: 1 USD, quantum-2/price: 2 USD"), ContainsSubstring("the same figure twice"));
    CHECK(refused("quantum-2/power.typical: 700 W, ownership/years: 5") == "accepted");
}

TEST_CASE("a price below nothing or beyond all reason is refused at its line, and so is a PUE below 1") {
    const auto refused = [](const std::string& price) -> std::string {
        Catalog catalog = catalogue();
        try {
            apply_prices(scenario_of(pod, "prices: {" + price + "}\n"), catalog);
        } catch (const InputError& error) { return error.what(); }
        return "accepted";
    };
    for (const char* price : {"quantum-2: -5 USD", "quantum-2: 1e300 USD", "data-centre/pue: -1",
                              "data-centre/pue: 0.9", "ownership/years: 0"}) {
        CHECK_THAT(refused(price), ContainsSubstring("s.yaml:4:") && ContainsSubstring("out of range"));
    }
    CHECK(refused("quantum-2: 0 USD") == "accepted");
    CHECK(refused("data-centre/pue: 1.1") == "accepted");
}

TEST_CASE(
    "every price has its range and says of which year it is, and what nobody offered says that it is not a quote") {
    int prices = 0;
    for (const auto& [name, part] : catalogue().parts) {
        const auto price = part.figures.find("price");
        if (price == part.figures.end()) { continue; }
        const std::string& source = price->second.source.front();
        INFO(name << ": " << source);
        ++prices;
        CHECK(std::regex_search(source, std::regex("20[0-9]{2}")));
        CHECK(price->second.low80 < price->second.high80);
        if (price->second.origin == Origin::estimated) { CHECK(source.find("not a quote") != std::string::npos); }
    }
    CHECK(prices > 20);
}

TEST_CASE("what has no price is named, not guessed") {
    Catalog catalog = catalogue();
    catalog.parts.at("quantum-2").figures.erase("price");
    const PartsList list = listed(scenario_of(pod), catalog);
    CHECK_FALSE(list.priced());
    CHECK_THAT(list.missing().at(0), ContainsSubstring("no price of quantum-2"));
}

TEST_CASE("owning a cluster costs its capital, its operation and its energy") {
    const Ownership own = ownership(catalogue(), 8);
    CHECK(own.operations_usd == 50'000);
    // 1 kW for four years at 0.08 USD/kWh and a PUE of 1.2.
    CHECK(own.total_usd(0, 1000) - own.operations_usd == Approx(1.2 * 0.08 * 4 * 365.25 * 24));
}
