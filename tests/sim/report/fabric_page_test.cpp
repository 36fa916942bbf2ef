// Racks and tiers of clusters of any size: every cable is in some bundle, and no row has more boxes than fit.

#include "sim/report/html/fabric_page.hpp"

#include <algorithm>
#include <map>
#include <variant>

#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/support/catch.hpp"

using namespace fabricast;

namespace {

html::Drawing drawn(const std::string& cluster) {
    const Scenario scenario = parse_scenario(
        "name: t\ncluster: " + cluster + "\nworkload: {kind: collective, collective: all_reduce}\n", "t.yaml");
    const Fabric fabric(build(scenario, calibrated_catalog("", nullptr, {})));
    return std::get<html::Scene>(html::fabric_page(fabric, host_names(scenario)).sections.front()).drawing;
}

std::map<int, std::size_t> rows(const html::Drawing& drawing) {
    std::map<int, std::size_t> boxes;
    for (const html::Box& box : drawing.boxes) { boxes[box.tier] += box.kind == "folded" ? 0 : 1; }
    return boxes;
}

}  // namespace

TEST_CASE("racks are the nodes of one set of leaves, and cables are counted") {
    // Four units of 32 nodes with eight leaves each, 16 spines (the 1,024-GPU reference architecture).
    const html::Drawing drawing =
        drawn("{node: dgx-h100, nodes: 128, fabric: {kind: rail-optimized, scalable_unit: 32}}");
    CHECK(rows(drawing) == std::map<int, std::size_t>{{1, 4}, {2, 4}, {3, 1}});
    CHECK(drawing.folded.empty());
    std::map<std::string, std::uint64_t> cables;
    for (const html::Wire& wire : drawing.wires) { cables[wire.cls] += wire.cables; }
    CHECK(cables["nic-port"] == 1024);
    CHECK(cables["leaf-spine"] == 1024);
}

TEST_CASE("a box of switches says how many there are, also where adaptive routing draws several as one") {
    // 512 nodes on 64 ports: 128 leaves, 128 spines in eight pods, 64 cores.
    const html::Drawing drawing = drawn("{node: dgx-h100, nodes: 512, fabric: {kind: rail-optimized}}");
    std::map<int, std::vector<std::string>> names;
    for (const html::Box& box : drawing.boxes) { names[box.tier].push_back(box.name); }
    CHECK(names.at(3) == std::vector<std::string>{"128 switches"});
}

TEST_CASE("thousands of nodes fit, named by their hosts") {
    const html::Drawing drawing = drawn(
        "{node: dgx-h100, nodes: 2048, hosts: \"h[0001-2048]\", fabric: {kind: rail-optimized, scalable_unit: 32}}");
    for (const auto& [tier, boxes] : rows(drawing)) { CHECK(boxes <= html::boxes_a_row); }
    const auto rack =
        std::ranges::find_if(drawing.boxes, [](const html::Box& box) { return box.kind.starts_with("h["); });
    REQUIRE(rack != drawing.boxes.end());
    CHECK(rack->tier == 1);
}

TEST_CASE("what is alike is one box, what is not is folded beyond a row") {
    std::string cables;
    for (int n = 0; n < 40; ++n) {  // each node on a switch of its own, all on one above
        cables += "{a: node" + std::to_string(n) + ".nic0, b: s" + std::to_string(n) + "}, {a: s" + std::to_string(n) +
                  ", b: top" + (n % 2 == 0 ? std::string("0") : std::to_string(n)) + "}, ";
    }
    std::string devices = "{name: top0}";
    for (int n = 0; n < 40; ++n) {
        devices += ", {name: s" + std::to_string(n) + "}";
        if (n % 2 == 1) { devices += ", {name: top" + std::to_string(n) + "}"; }
    }
    const html::Drawing drawing =
        drawn("{node: v100-pcie-1x, nodes: 40, fabric: {kind: explicit, link: infiniband-edr}, graph: {devices: [" +
              devices + "], cables: [" + cables + "]}}");
    CHECK(rows(drawing).at(1) <= html::boxes_a_row);
}
