// A node told by its parts is the template that it stands for, and errors name the line.

#include "models/catalog_reader.hpp"
#include "models/embedded_catalog.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/build_parts.hpp"
#include "sim/scenario/keys.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/support/catch.hpp"
#include "topologies/fabric.hpp"
#include "topologies/node_reader.hpp"

namespace fabricast {
namespace {

const Catalog& the_catalog() {
    static const Catalog read = read_catalog();
    return read;
}

NodeTemplate node_of(const std::string& text) { return read_node(yaml::parse(text, "node.yaml"), the_catalog()); }

std::string error_in(const std::string& text) {
    try {
        node_of(text);
    } catch (const InputError& error) { return error.what(); }
    return "";
}

// "gpu0 nvswitch nvlink-4 x18", in order.
std::vector<std::string> cables_of(const NodeTemplate& node) {
    std::vector<std::string> cables;
    for (const NodeCable& cable : node.cables) {
        cables.push_back(cable.a + " " + cable.b + " " + cable.link.name + " x" + std::to_string(cable.count));
    }
    return cables;
}

const std::string h100 = R"(name: box
gpus: {part: h100-sxm, count: 8, joined: nvswitch}
cpus: {part: xeon-sapphire-rapids, count: 2}
pcie: two GPUs and two NICs a switch
nics: {part: connectx-7, count: 8}
)";

TEST_CASE("a node of parts is what the same node is device by device") {
    const NodeTemplate box = node_of(h100);
    const NodeTemplate drawn = node_of(R"(name: box
gpu: h100-sxm
gpus: 8
cpu: xeon-sapphire-rapids
nic: connectx-7
nics: 8
port: infiniband-ndr
devices:
  - {name: cpu0-1}
  - {name: switch0-3, part: pex-89000}
  - {name: nvswitch, part: nvswitch-3}
cables:
  - {from: gpu0-7, to: nvswitch, link: nvlink-4, count: 18}
  - {from: cpu0, to: cpu1}
  - {from: switch0-3, to: cpu0-1, link: pcie-gen5-x16}
  - {from: gpu0-7, to: switch0-3, link: pcie-gen5-x16}
  - {from: nic0-7, to: switch0-3, link: pcie-gen5-x16}
)");
    CHECK(cables_of(box) == cables_of(drawn));
    REQUIRE(box.devices.size() == drawn.devices.size());
    for (std::size_t i = 0; i < box.devices.size(); ++i) {
        CHECK(box.devices[i].name == drawn.devices[i].name);
        CHECK(box.devices[i].part == drawn.devices[i].part);
    }
    CHECK(box.nvlink == NvlinkShape::nvswitch);
    CHECK(box.nic_link == drawn.nic_link);
    CHECK(box.peer_to_peer);
}

TEST_CASE("how GPUs are joined: a mesh, bridges in pairs and fours, PCIe alone") {
    const NodeTemplate mesh = node_template("mi300x-8x", the_catalog());
    CHECK(mesh.nvlink == NvlinkShape::mesh);
    CHECK(std::ranges::count_if(mesh.cables, [](const NodeCable& c) { return c.link.name == "xgmi-3"; }) == 28);
    const std::string cards = "cpus: {part: epyc-genoa}\ngpus: {part: h200-nvl, count: 4, joined: ";
    CHECK(node_of(cards + "bridges}\n").cables.back().count == 18);
    const NodeTemplate four = node_of(cards + "bridges, group: 4}\n");
    CHECK(four.cables.back().count == 6);
    CHECK(four.name == "4x-h200-nvl-bridges");
    const NodeTemplate alone =
        node_of("cpus: {part: epyc-genoa, count: 2}\ngpus: {part: rtx-5090, count: 7, joined: pcie}\n");
    CHECK(alone.nvlink == NvlinkShape::none);
    CHECK(!alone.peer_to_peer);  // as the part says of its driver
    CHECK(cables_of(alone).back() == "gpu6 cpu1 pcie-gen5-x16 x1");
}

TEST_CASE("a GPU in a faster slot keeps its own rate, in a slower one it takes the slot's") {
    const auto slot = [](const std::string& said) {
        return cables_of(node_of("cpus: {part: epyc-genoa}\ngpus: {part: l40s, joined: pcie, slot: " + said + "}\n"))
            .back();
    };
    CHECK(slot("pcie-gen5-x16") == "gpu0 cpu0 pcie-gen4-x16 x1");
    CHECK(slot("pcie-gen4-x8") == "gpu0 cpu0 pcie-gen4-x8 x1");
}

TEST_CASE("what a node of parts says wrong is refused at its line") {
    const std::string cpus = "cpus: {part: epyc-genoa, count: 2}\n";
    CHECK_THAT(error_in(cpus + "gpus: {part: l40x, joined: pcie}\n"), ContainsSubstring("node.yaml:2:14"));
    CHECK_THAT(error_in(cpus + "gpus: {part: l40s, joined: nvlink}\n"), ContainsSubstring("accepted: nvswitch, mesh"));
    CHECK_THAT(error_in(cpus + "gpus: {part: l40s, joined: nvswitch}\n"), ContainsSubstring("no links to other GPUs"));
    CHECK_THAT(error_in(cpus + "gpus: {part: a100-sxm4-40, count: 6, joined: mesh}\n"),
               ContainsSubstring("cannot be dealt out"));
    CHECK_THAT(error_in("gpus: {part: l40s, joined: pcie}\n"), ContainsSubstring("a node has CPUs"));
    CHECK_THAT(error_in("cpus: {part: grace, count: 4}\ngpus: {part: gh200, count: 4, joined: mesh}\n"),
               ContainsSubstring("`joined` says how"));
    CHECK_THAT(error_in(h100 + "kpu: 1\n"), ContainsSubstring("unknown key"));
    const auto tree = [&](const std::string& words) {
        std::string text = h100;
        return error_in(text.replace(text.find("two GPUs"), 30, words));
    };
    CHECK(tree("2 GPUs and 2 NICs each switch") == "");
    CHECK_THAT(tree("three GPUs a switch"), ContainsSubstring("node.yaml:4:7"));
    CHECK_THAT(tree("two GPUs and a NIC a switch"), ContainsSubstring("contradicts the node's 8 NICs"));
    CHECK_THAT(tree("a nice tree"), ContainsSubstring("describes no PCIe tree"));
}

TEST_CASE("a scenario takes a node of parts in place of a name, and says so again") {
    const std::string text =
        "name: t\ncluster:\n  node:\n    gpus: {part: h20, count: 8, joined: nvswitch}\n    cpus: {part: epyc-genoa, "
        "count: 2}\n    nics: {part: connectx-7, count: 8}\n    pcie: two GPUs and two NICs a switch\n  nodes: 2\n"
        "workload: {kind: collective, collective: all_reduce, sizes: [1 MiB]}\n";
    const Scenario scenario = parse_scenario(text, "t.yaml");
    const Fabric fabric(build(scenario, the_catalog()));
    CHECK(fabric.gpu_count() == 16);
    CHECK(fabric.node().name == "8x-h20-nvswitch");
    CHECK(to_json(scenario).at("cluster").at("node").at("gpus").at("part") == "h20");
    CHECK(Fabric(build(parse_scenario(text, "t.yaml", {"cluster.node.gpus.count=4", "cluster.node.nics.count=4"}),
                       the_catalog()))
              .gpu_count() == 8);
    std::string wrong = text;
    wrong.replace(wrong.find("h20"), 3, "h21");
    try {
        build(parse_scenario(wrong, "t.yaml"), the_catalog());
        CHECK(false);
    } catch (const InputError& error) { CHECK_THAT(error.what(), ContainsSubstring("t.yaml:4:18")); }
}

TEST_CASE("an option puts every GPU of a template on other slots") {
    const auto node_with = [](const std::string& options) {
        return build(parse_scenario("name: t\ncluster: {node: rtx4090-8x" + options +
                                        "}\nworkload: {kind: collective, collective: all_reduce, sizes: [1 MiB]}\n",
                                    "t.yaml"),
                     the_catalog())
            .node;
    };
    const NodeTemplate wide = node_with(""), narrow = node_with(", options: {slot: pcie-gen4-x4}");
    for (std::size_t i = 0; i < wide.cables.size(); ++i) {
        const bool at_gpu = wide.cables[i].a.starts_with("gpu");
        INFO(wide.cables[i].a);
        CHECK(narrow.cables[i].link.name == (at_gpu ? "pcie-gen4-x4" : wide.cables[i].link.name));
        CHECK(narrow.cables[i].duplex_capacity == Approx(wide.cables[i].duplex_capacity / (at_gpu ? 4 : 1)));
    }
    CHECK_THROWS_WITH(node_with(", options: {slot: nvlink-4}"), ContainsSubstring("this option is a link of PCIe"));
}

}  // namespace
}  // namespace fabricast
