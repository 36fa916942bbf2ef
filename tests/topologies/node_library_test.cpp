// The node library against what its makers published: built from the YAML inside the program and the real catalogue.
#include <map>
#include <set>

#include "models/catalog_reader.hpp"
#include "models/embedded_catalog.hpp"
#include "models/link_part.hpp"
#include "sim/scenario/build.hpp"
#include "tests/support/catch.hpp"
#include "topologies/fabric.hpp"
#include "topologies/node_reader.hpp"

using namespace fabricast;

namespace {

const Catalog& catalog() {
    static const Catalog read = read_catalog();
    return read;
}

Scenario scenario_of(const std::string& node, std::uint32_t nodes = 1) {
    Scenario s;
    s.name = "test";
    s.file = "test.yaml";
    s.cluster.node = node;
    s.cluster.nodes = nodes;
    return s;
}

Fabric fabric(const std::string& node, std::uint32_t nodes = 1) {
    return Fabric(build(scenario_of(node, nodes), catalog()));
}

Path path(const Fabric& fabric, std::uint32_t src, std::uint32_t dst, PathKind transport = PathKind::automatic) {
    PathQuery query;
    query.src = fabric.gpu(src);
    query.dst = fabric.gpu(dst);
    query.kind = transport;
    return fabric.path(query);
}

double bottleneck(const Fabric& fabric, const Path& path) {
    double least = std::numeric_limits<double>::infinity();
    for (const LinkId link : path.span()) { least = std::min(least, fabric.link(link).capacity); }
    return least;
}

// Payload rate of one NVLink of this part.
double nvlink(const std::string& part) { return goodput(link_spec(catalog().at("link", part))); }

}  // namespace

TEST_CASE("every template of the library builds, alone and as two nodes, and every pair of GPUs has a path") {
    for (const Part& node : node_parts()) {
        INFO(node.name);
        CHECK(!node.note.empty());
        const Fabric alone = fabric(node.name);
        const Fabric two = fabric(node.name, 2);
        CHECK(two.cluster().node.name == node.name);
        for (std::uint32_t src = 0; src < two.gpu_count(); ++src) {
            for (std::uint32_t dst = 0; dst < two.gpu_count(); ++dst) {
                if (src != dst) {
                    const Path found = path(two, src, dst);
                    REQUIRE(found.count > 0);
                    REQUIRE(bottleneck(two, found) > 1e9);
                }
            }
        }
    }
}

TEST_CASE("a DGX-1's neighbours are the hybrid cube mesh's, and every GPU uses all its links") {
    for (const auto& [name, part, links] : {std::tuple{"dgx-p100", "nvlink-1", 4}, {"dgx-v100", "nvlink-2", 6}}) {
        const Fabric built = fabric(name);
        for (std::uint32_t src = 0; src < 8; ++src) {
            double total = 0;
            for (std::uint32_t dst = 0; dst < 8; ++dst) {
                const Path found = src == dst ? Path{} : path(built, src, dst);
                total += found.count == 1 ? built.link(found.links[0]).capacity : 0;
                // Two boards of four: neighbours on the same board, one twin on the other; all else is two hops.
                const bool adjacent = src / 4 == dst / 4 || src % 4 == dst % 4;
                CHECK((src == dst || found.count == (adjacent ? 1 : 2)));
            }
            CHECK(total == Approx(links * nvlink(part)));
        }
    }
}

TEST_CASE("all 120 pairs of a DGX-2 reach six links, and its planes are joined without a bottleneck") {
    const Fabric built = fabric("dgx-2");
    for (std::uint32_t src = 0; src < 16; ++src) {
        for (std::uint32_t dst = 0; dst < 16; ++dst) {
            if (src != dst) {
                const Path found = path(built, src, dst);
                CHECK(found.count == (src / 8 == dst / 8 ? 2 : 3));
                CHECK(bottleneck(built, found) == Approx(6 * nvlink("nvlink-2")));
            }
        }
    }
    const Path across = path(built, 0, 8);
    CHECK(built.link(across.links[1]).cls == LinkClass::nvswitch_trunk);
    CHECK(built.link(across.links[1]).capacity == Approx(8 * bottleneck(built, across)));
}

TEST_CASE("NVSwitch nodes give each GPU all its links each way") {
    const std::map<std::string, std::pair<std::string, double>> nodes = {
        {"dgx-a100", {"nvlink-3", 12}},      {"dgx-h100", {"nvlink-4", 18}},     {"dgx-h200", {"nvlink-4", 18}},
        {"dgx-b200", {"nvlink-5", 18}},      {"gb200-nvl72", {"nvlink-5", 18}},  {"hgx-h100-efa", {"nvlink-4", 18}},
        {"hgx-a100-4nic", {"nvlink-3", 12}}, {"gb200-tray-4x", {"nvlink-5", 18}}};
    for (const auto& [name, links] : nodes) {
        INFO(name);
        const Fabric built = fabric(name);
        const Path found = path(built, 0, built.gpu_count() - 1);
        CHECK(found.count == 2);
        CHECK(bottleneck(built, found) == Approx(links.second * nvlink(links.first)));
        CHECK(built.node().nvlink == NvlinkShape::nvswitch);
    }
    CHECK(fabric("gb200-nvl72").gpu_count() == 72);
}

TEST_CASE("each GPU of a DGX H100 has its own NIC, and two share one where there are four") {
    const Fabric eight = fabric("dgx-h100", 2);
    const Fabric four = fabric("hgx-a100-4nic", 2);
    for (std::uint32_t gpu = 0; gpu < 8; ++gpu) {
        CHECK(eight.nearest_nic(gpu) == gpu);
        CHECK(four.nearest_nic(gpu) == gpu / 2);
    }
    const Fabric mesh = fabric("a100-mesh-4x", 2);
    CHECK(mesh.near_nics(mesh.gpu(0)).size() == 4);
    CHECK(mesh.nearest_nic(3) == 3);
}

TEST_CASE("a far NIC is reached through its own GPU, so that no GPU carries two rails") {
    const Fabric built = fabric("dgx-h100", 2);
    for (std::uint32_t gpu = 0; gpu < 8; ++gpu) {
        for (std::uint16_t rail = 0; rail < 8; ++rail) {
            PathQuery query;
            query.src = built.gpu(gpu);
            query.dst = built.gpu(8 + rail);
            query.src_nic = rail;
            const Path found = built.path(query);
            const bool beside = gpu / 2 == rail / 2;  // two GPUs and two NICs under each PCIe switch
            const std::uint32_t carrier = beside ? gpu : rail;
            const LinkId onto_pcie = found.links[beside ? 0 : 2];
            CHECK(built.ends(onto_pcie).from == built.gpu(carrier));
        }
    }
}

TEST_CASE("the NIC count can be changed: fewer are spread evenly, more become ports") {
    Scenario s = scenario_of("a100-mesh-4x", 2);
    s.cluster.node_options["nics"] = "2";
    const Fabric two(build(s, catalog()));
    CHECK(two.nics_per_node() == 2);
    CHECK(two.nearest_nic(1) == 0);
    CHECK(two.nearest_nic(2) == 1);

    s = scenario_of("dgx-a100", 2);
    s.cluster.node_options["nics"] = "4";
    const Fabric four(build(s, catalog()));
    for (std::uint32_t gpu = 0; gpu < 8; ++gpu) { CHECK(four.nearest_nic(gpu) == gpu / 2); }

    s = scenario_of("dgx-h100", 2);
    s.cluster.link = "efa-v2";
    s.cluster.node_options["nics"] = "32";
    const Fabric efa(build(s, catalog()));
    const Path found = path(efa, 0, 8);
    CHECK(bottleneck(efa, found) == Approx(4 * nvlink("efa-v2")));
    s.cluster.node_options["nics"] = "12";
    CHECK_THROWS_WITH(build(s, catalog()), ContainsSubstring("places for 8 NICs"));
}

TEST_CASE("without NVLink a PCIe box is bound by its root ports, peer to peer or not") {
    const Fabric box = fabric("a100-pcie-8x");
    const double gen4 = nvlink("pcie-gen4-x16");
    const Path staged = path(box, 0, 1);
    CHECK(bottleneck(box, staged) == Approx(gen4));
    CHECK(box.link(staged.links[2]).cls == LinkClass::host_memory);
    const Path direct = path(box, 0, 1, PathKind::p2p);
    CHECK(direct.count < staged.count);
    CHECK(bottleneck(box, direct) == Approx(gen4));

    // The same port in both directions: less than twice one direction, as measured (facts pcie.md §1).
    const Path back = path(box, 1, 0);
    std::set<LinkId> out(staged.span().begin(), staged.span().end());
    double shared = 0;
    for (const LinkId link : back.span()) {
        if (out.contains(link) && box.link(link).cls == LinkClass::pcie) { shared = box.link(link).capacity; }
    }
    CHECK(shared > gen4);
    CHECK(shared < 2 * gen4);

    const Fabric pair = fabric("a100-pcie-2x");  // two GPUs on AMD: peer to peer through the host bridge
    const Path through_bridge = path(pair, 0, 1);
    for (const LinkId link : through_bridge.span()) { CHECK(pair.link(link).cls == LinkClass::pcie); }
    const Fabric stock = fabric("rtx4090-8x");
    CHECK(stock.link(path(stock, 0, 1).links[2]).cls == LinkClass::host_memory);
}

TEST_CASE("what a scenario leaves open takes its usual value") {
    const Cluster cluster = build(scenario_of("dgx-h100", 16), catalog());
    CHECK(cluster.fabric.kind == FabricKind::rail_optimized);
    CHECK(cluster.fabric.link.name == "infiniband-ndr");
    CHECK(cluster.fabric.switch_part == "quantum-2");
    CHECK(cluster.fabric.radix == 64);
    CHECK(cluster.fabric.choice == PathChoice::adaptive);
    CHECK(build(scenario_of("dgx-h100"), catalog()).fabric.kind == FabricKind::none);

    Scenario s = scenario_of("dgx-h100", 4);
    s.cluster.link = "infiniband-ndr200";
    CHECK(build(s, catalog()).fabric.radix == 128);  // Quantum-2's ports split in two
    s.cluster.link = "ethernet-400g";
    CHECK(build(s, catalog()).fabric.choice == PathChoice::ecmp);
}

TEST_CASE("a link faster than its NIC or switch port is refused, with the pairs that fit") {
    Scenario s = scenario_of("dgx-h100", 4);
    s.cluster.link = "infiniband-xdr";
    CHECK_THROWS_WITH(build(s, catalog()), ContainsSubstring("800 Gb/s on 400 Gb/s") &&
                                               ContainsSubstring("on connectx-7: infiniband-ddr") &&
                                               ContainsSubstring("infiniband-ndr") && ContainsSubstring("connectx-8"));
    s.cluster.node_options["nic"] = "connectx-8";
    CHECK(build(s, catalog()).fabric.link.rate == Rate::megabits(800'000));
    s.cluster.switch_part = "quantum-2";
    CHECK_THROWS_WITH(build(s, catalog()),
                      ContainsSubstring("faster than the ports of quantum-2") && ContainsSubstring("quantum-x800"));
    s = scenario_of("dgx-h100", 4);
    s.cluster.switch_part = "quantum-2";
    s.cluster.trunk = "infiniband-xdr";
    CHECK_THROWS_WITH(build(s, catalog()), ContainsSubstring("'infiniband-xdr' is faster"));
}

// NVIDIA DGX SuperPOD, reference architecture featuring DGX GB200, "Network Fabrics": 18 trays a rack. Four adapters a
// tray, as the node template has them, make a rail for each of the four.
TEST_CASE("racks of NVL72 have four rails, and leaves for their trays only") {
    for (std::uint32_t racks = 2; racks <= 32; ++racks) {
        INFO(racks << " racks");
        Scenario s = scenario_of("gb200-nvl72", racks);
        s.cluster.fabric_kind = "rail-optimized";
        const Fabric fabric(build(s, catalog()));
        const std::vector<FabricTier> tiers = fabric.tiers();
        // A Quantum-2 has 64 ports, 32 of them down.
        CHECK(tiers[0].switches == 4 * ((racks * 18 + 31) / 32));
        // The same as for so many servers with the four adapters of a tray.
        Scenario trays = scenario_of("gb200-tray-4x", racks * 18);
        trays.cluster.fabric_kind = "rail-optimized";
        const std::vector<FabricTier> servers = Fabric(build(trays, catalog())).tiers();
        REQUIRE(servers.size() == tiers.size());
        for (std::size_t t = 0; t < tiers.size(); ++t) {
            CHECK(tiers[t].switches == servers[t].switches);
            CHECK(tiers[t].cables == servers[t].cables);
        }
    }
}

TEST_CASE("a template gives no device more or faster links than it has") {
    const auto said = [](const std::string& links) {
        const std::string head =
            "name: x\ngpu: h100-sxm\ngpus: 8\ncpu: xeon-sapphire-rapids\nnic: connectx-5\nnics: 1\n"
            "port: infiniband-edr\ndevices:\n  - {name: cpu0}\n  - {name: nvswitch, part: nvswitch-4}\n"
            "  - {name: switch0, part: pex-88000}\ncables:\n";
        try {
            read_node(yaml::parse(head + links, "x.yaml"), catalog());
        } catch (const InputError& error) { return std::string(error.what()); }
        return std::string();
    };
    CHECK(said("  - {from: gpu0-7, to: nvswitch, link: nvlink-4, count: 18}\n").empty());
    CHECK_THAT(said("  - {from: gpu0-7, to: nvswitch, link: nvlink-5, count: 9}\n"),
               ContainsSubstring("x.yaml:13:") &&
                   ContainsSubstring("gpu0 to nvswitch (9 x nvlink-5): gpu0 is a h100-sxm, which has 18 x nvlink-4"));
    CHECK_THAT(said("  - {from: gpu0, to: nvswitch, link: nvlink-4, count: 12}\n"
                    "  - {from: gpu0, to: gpu1, link: nvlink-4, count: 7}\n"),
               ContainsSubstring("has 18 x nvlink-4, fewer than its 19 up to this cable"));
    CHECK_THAT(said("  - {from: gpu0, to: cpu0, link: pcie-gen6-x16}\n"), ContainsSubstring("which has pcie-gen5-x16"));
    CHECK_THAT(said("  - {from: nic0, to: cpu0, link: pcie-gen4-x16}\n"), ContainsSubstring("which has pcie-gen3-x16"));
    CHECK_THAT(said("  - {from: gpu0, to: switch0, link: pcie-gen5-x16}\n"),
               ContainsSubstring("switch0 is a pex-88000, which has generation 4"));
    CHECK(said("  - {from: gpu0-5, to: switch0, link: pcie-gen4-x16}\n").empty());  // 6 * 16 of 98 lanes
    CHECK_THAT(said("  - {from: gpu0-6, to: switch0, link: pcie-gen4-x16}\n"),
               ContainsSubstring("has 98 lanes, fewer than its 112 up to this cable"));
}

TEST_CASE("a device put in another's place slows its PCIe link, and may not lack NVLinks") {
    Scenario s = scenario_of("dgx-h100", 2);
    s.cluster.node_options["nic"] = "connectx-5";
    for (const NodeCable& cable : build(s, catalog()).node.cables) {
        const bool pcie = cable.link.family == LinkFamily::pcie;
        const bool nic = cable.a.starts_with("nic") || cable.b.starts_with("nic");
        CHECK((!pcie || cable.link.name == (nic ? "pcie-gen3-x16" : "pcie-gen5-x16")));
    }
    s = scenario_of("dgx-h100");
    s.cluster.node_options["gpu"] = "h800-sxm";  // the same links, fewer of them
    for (const NodeCable& cable : build(s, catalog()).node.cables) {
        CHECK((cable.link.family != LinkFamily::nvlink || cable.count == 8));
    }
    s.cluster.node_options["gpu"] = "a100-sxm4-80";
    CHECK_THROWS_WITH(build(s, catalog()), ContainsSubstring("which has 12 x nvlink-3"));
}

TEST_CASE("of a rack's trays those without a GPU in use stay out with their NICs") {
    Scenario s = scenario_of("gb200-nvl72", 2);
    s.cluster.gpus_per_node = 62;
    const Fabric used(build(s, catalog()));
    CHECK(used.nics_per_node() == 64);  // sixteen trays, the last with two GPUs
    s.cluster.gpus_per_node = 8;
    s.cluster.node_options["nics"] = "4";
    CHECK(Fabric(build(s, catalog())).nics_per_node() == 4);  // two a tray
}

TEST_CASE("a cluster that cannot be built says so at the key that is wrong") {
    Scenario s = scenario_of("dgx-h10");
    CHECK_THROWS_WITH(build(s, catalog()), ContainsSubstring("did you mean 'dgx-h100'"));
    s = scenario_of("dgx-h100", 2);
    s.cluster.link = "infiniband-nd";
    CHECK_THROWS_WITH(build(s, catalog()), ContainsSubstring("did you mean 'infiniband-ndr'"));
    s.cluster.link = "infiniband-ndr";
    s.cluster.switch_part = "tomahawk-5";
    CHECK_THROWS_WITH(build(s, catalog()), ContainsSubstring("speaks"));
    s = scenario_of("dgx-h100");
    s.cluster.gpus_per_node = 9;
    CHECK_THROWS_WITH(build(s, catalog()), ContainsSubstring("has 8 GPUs"));
    s = scenario_of("dgx-h100");
    s.cluster.node_options["peer_to_per"] = "false";
    CHECK_THROWS_WITH(build(s, catalog()), ContainsSubstring("peer_to_peer"));
    const std::string text = "name: x\ngpu: h100-sxm\ngpus: 2\ndevices:\n  - {name: switch0, part: pex-8900}\n";
    CHECK_THROWS_WITH(read_node(yaml::parse(text, "x.yaml"), catalog()), ContainsSubstring("x.yaml:5:27: "));
    const std::string mesh = "name: x\ngpu: h100-sxm\ngpus: 2\nmesh: {link: nvlink-4, links: [[0, 1], [2, 0]]}\n";
    CHECK_THROWS_WITH(read_node(yaml::parse(mesh, "x.yaml"), catalog()), ContainsSubstring("disagree"));
}
