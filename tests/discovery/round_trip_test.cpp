// What is exported is read again as the same cluster: equal graphs, equal forecasts.

#include <algorithm>
#include <iostream>
#include <set>
#include <tuple>

#include "discovery/site/export_node.hpp"
#include "discovery/site/export_site.hpp"
#include "discovery/site/recognise.hpp"
#include "sim/run/simulate.hpp"
#include "tests/discovery/site_of.hpp"
#include "tests/support/catch.hpp"
#include "topologies/node_reader.hpp"

using namespace fabricast;
using fabricast::testing::catalogue;
using fabricast::testing::fabric_of;
using fabricast::testing::scenario_on;
using fabricast::testing::site_of;

namespace {

// Every device by name and part, every cable by its ends, link and count.
using NodeParts = std::set<std::tuple<std::string, std::string, std::string, int>>;

NodeParts parts_of(const NodeTemplate& node) {
    NodeParts parts;
    for (const NodeDevice& device : node.devices) { parts.insert({device.name, device.part, "", 0}); }
    for (const NodeCable& cable : node.cables) {
        parts.insert({std::min(cable.a, cable.b), std::max(cable.a, cable.b), cable.link.name, cable.count});
    }
    return parts;
}

double busbw(const std::string& yaml, int nodes = 0) {
    std::vector<std::string> set = {"workload.sizes=[64 MiB]"};
    if (nodes > 0) { set.push_back("cluster.nodes=" + std::to_string(nodes)); }
    const Report report = simulate(parse_scenario(yaml, "test.yaml", set), catalogue());
    return report.rows.front().busbw;
}

Description described(const std::string& file, const std::string& text, const std::string& node = {},
                      const StatedParts& said = {}) {
    Site site = site_of({{file, text}});
    DescribeOptions options;
    options.node = node;
    options.said = said;
    return describe(site, catalogue(), options);
}

const std::vector<std::string>& fabrics() {
    static const std::vector<std::string> all = {
        "{node: dgx-h100, nodes: 2, fabric: {kind: single-switch}}",
        "{node: dgx-h100, nodes: 16, fabric: {kind: rail-optimized}}",
        "{node: dgx-h100, nodes: 64, fabric: {kind: rail-optimized}}",
        "{node: dgx-h100, nodes: 128, fabric: {kind: rail-optimized, scalable_unit: 32}}",
        "{node: dgx-h100, nodes: 64, fabric: {kind: rail-optimized, oversubscription: 2}}",
        "{node: dgx-a100, nodes: 20, fabric: {kind: rail-optimized}}",
        "{node: dgx-a100, nodes: 40, fabric: {kind: fat-tree}}",
        "{node: dgx-h200, nodes: 48, fabric: {kind: rail-only}}",
        "{node: dgx-b200, nodes: 96, fabric: {kind: fat-tree}}",
        "{node: v100-pcie-1x, nodes: 24, fabric: {kind: fat-tree}}",
        "{node: dgx-h100, nodes: 256, fabric: {kind: rail-optimized}}",
        "{node: dgx-h100, nodes: 16, fabric: {kind: dragonfly}}",
        "{node: dgx-h100, nodes: 128, fabric: {kind: dragonfly}}",
        "{node: v100-pcie-1x, nodes: 72, fabric: {kind: dragonfly, shape: [9, 4, 2]}}",
        "{node: dgx-h100, nodes: 64, fabric: {kind: dragonfly-plus, shape: [4, 4, 4]}}",
        "{node: v100-pcie-1x, nodes: 60, fabric: {kind: torus, shape: [3, 4, 5]}}",
        "{node: dgx-h100, nodes: 64, fabric: {kind: torus}}",
        "{node: dgx-h200, nodes: 32, fabric: {kind: dual-plane}}",
        "{node: hgx-h100-200g, nodes: 32, fabric: {kind: rail-optimized}}",
        "{node: gb200-nvl72, nodes: 4, fabric: {kind: rail-optimized}}",
        "{node: dgx-h100, nodes: 2, options: {nics: 2}, fabric: {kind: explicit, link: infiniband-ndr}, graph: "
        "{devices: [{name: left, part: quantum-2}, "
        "{name: right, part: quantum-2}], cables: [{a: node0.nic0, b: left}, {a: node1.nic0, b: right}, {a: "
        "node0.nic1, b: left}, "
        "{a: node1.nic1, b: right}, {a: left, b: right, count: 3}]}}",
    };
    return all;
}

}  // namespace

TEST_CASE("a template goes out as NCCL's topology and comes back the same") {
    std::size_t equal = 0;
    std::vector<std::string> cannot;
    for (const Part& part : node_parts()) {
        const NodeTemplate node = node_template(part.name, catalogue());
        std::string text;
        try {
            text = to_nccl_topology(node, catalogue());
        } catch (const ClusterError& error) {
            cannot.push_back(part.name + ": " + error.what());
            continue;
        }
        INFO(part.name);
        // A part without a known PCI id is stated, as the file asks.
        const bool named = pci_id_of(catalogue(), node.nic_part).first != 0;
        const Description made = described("node.xml", text, {}, {"", named ? "" : node.nic_part, ""});
        INFO(made.yaml);
        const Fabric back = fabric_of(made.yaml);
        CHECK(parts_of(back.node()) == parts_of(node));
        CHECK(back.node().gpu.name == node.gpu.name);
        CHECK(back.node().nic_ports == node.nic_ports);
        const std::string own = scenario_on("{node: " + part.name + "}");
        if (node.gpus > 1) { CHECK(busbw(made.yaml) == Approx(busbw(own)).epsilon(0.01)); }
        CHECK(back.node().nic_link == node.nic_link);
        CHECK(busbw(made.yaml, 2) == Approx(busbw(own, 2)).epsilon(0.01));
        ++equal;
    }
    for (const std::string& why : cannot) { std::cout << why << "\n"; }
    std::cout << "figure: site_templates_round_trip " << equal << "\n";
    CHECK(equal + 1 == node_parts().size());  // dgx-h100-nvlink: its adapters hang at GPUs
}

TEST_CASE("on a DGX H100 read from its XML every algorithm takes as long as on the template") {
    const std::string xml = to_nccl_topology(node_template("dgx-h100", catalogue()), catalogue());
    const std::string read = described("node.xml", xml).yaml;
    const std::string fabric = "{node: dgx-h100, nodes: 4, fabric: {kind: rail-optimized}}";
    const std::string four = [&] {
        Site site = site_of({{"node.xml", xml}, {"ib.out", to_ibnetdiscover(fabric_of(scenario_on(fabric)))}});
        return describe(site, catalogue(), {}).yaml;
    }();
    double worst = 0;
    const auto compare = [&](const std::string& mine, const std::string& theirs, const char* algorithm,
                             const std::string& collective) {
        const auto row = [&](const std::string& yaml) {
            const std::vector<std::string> set = {"workload.sizes=[64 KiB, 64 MiB]",
                                                  "workload.collective=" + collective,
                                                  std::string("workload.algorithm=") + algorithm};
            return simulate(parse_scenario(yaml, "test.yaml", set), catalogue()).rows;
        };
        const auto ours = row(mine), all = row(theirs);
        for (std::size_t i = 0; i < all.size(); ++i) {
            INFO(collective << " " << algorithm << " " << all[i].size.count);
            CHECK(ours[i].time_s == Approx(all[i].time_s).epsilon(0.01));
            worst = std::max(worst, std::abs(ours[i].time_s / all[i].time_s - 1));
        }
    };
    for (const char* algorithm : {"auto", "ring", "tree", "nvls"}) {
        compare(read, scenario_on("{node: dgx-h100}"), algorithm, "all_reduce");
    }
    for (const char* algorithm : {"auto", "ring", "tree", "nvls-tree"}) {
        compare(four, scenario_on(fabric), algorithm, "all_reduce");
    }
    for (const char* collective : {"all_gather", "reduce_scatter", "broadcast", "reduce", "all_to_all", "sendrecv"}) {
        compare(read, scenario_on("{node: dgx-h100}"), "auto", collective);
        compare(four, scenario_on(fabric), "auto", collective);
    }
    std::cout << "figure: dgx_h100_xml_worst_percent " << 100 * worst << "\n";
}

TEST_CASE("a fabric goes out as ibnetdiscover and as links.csv and comes back the same") {
    int equal = 0;
    for (const std::string& cluster : fabrics()) {
        const Fabric fabric = fabric_of(scenario_on(cluster));
        const std::string node = cluster.substr(7, cluster.find(',') - 7);
        const bool ethernet = fabric.cluster().fabric.link.family == LinkFamily::ethernet;
        for (const bool csv : {false, true}) {
            INFO(cluster << (csv ? " as csv" : " as ibnetdiscover"));
            if (ethernet && !csv) {
                CHECK_THROWS_AS(to_ibnetdiscover(fabric), ClusterError);
                continue;
            }
            const std::string text = csv ? to_links_csv(fabric) : to_ibnetdiscover(fabric);
            const Description made = described(csv ? "links.csv" : "ib.out", text, node);
            Scenario ours = parse_scenario(made.yaml, "made.yaml", {"cluster.fabric.routing=ecmp"});
            Scenario theirs = parse_scenario(scenario_on(cluster), "test.yaml", {"cluster.fabric.routing=ecmp"});
            CHECK(colours(Fabric(build(ours, catalogue()))) == colours(Fabric(build(theirs, catalogue()))));
            CHECK((made.fabric == "explicit") == (fabric.cluster().fabric.kind == FabricKind::explicit_graph));
            const double mine = busbw(made.yaml), theirs_now = busbw(scenario_on(cluster));
            CHECK(mine == theirs_now);
            std::cout << made.fabric << (csv ? " csv " : " ibnetdiscover ") << cluster << ": " << theirs_now / 1e9
                      << " " << mine / 1e9 << " GB/s\n";
            ++equal;
        }
    }
    std::cout << "figure: site_fabrics_round_trip " << equal << "\n";
}

// The time and memory of a large one are figures of `./dev bench`.
TEST_CASE("400 switches and 2,880 adapters are recognised, and nothing looks wrong") {
    const Fabric fabric = fabric_of(scenario_on(
        "{node: dgx-h100, nodes: 360, fabric: {kind: fat-tree, switch: switch-ib-2, link: infiniband-edr, tiers: 3}}"));
    const std::string text = to_ibnetdiscover(fabric);
    Site site = site_of({{"ib.out", text}});
    CHECK(std::ranges::count(site.devices, false, &SiteDevice::adapter) == 400);
    DescribeOptions options;
    options.node = "dgx-h100";
    const Description made = describe(site, catalogue(), options);
    CHECK(check(site, made, catalogue(), {}).empty());
    CHECK(made.fabric == "fat-tree");
    CHECK(made.nodes == 360);
}
