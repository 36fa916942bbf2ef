#include "topologies/trays.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/tiny_clusters.hpp"
#include "topologies/bill.hpp"
#include "topologies/fabric.hpp"

using namespace fabricast;

namespace {

// A rack: all GPUs on one NVSwitch; in each tray a CPU with two GPUs and two NICs, joined to no other tray.
NodeTemplate rack(std::uint32_t trays) {
    NodeTemplate node = tiny::nvswitch_node(2 * trays, 2 * trays);
    const LinkSpec pcie = tiny::link(LinkFamily::pcie, 50, nanoseconds(100));
    for (std::uint32_t tray = 0; tray < trays; ++tray) {
        const std::string cpu = "cpu" + std::to_string(tray);
        node.devices.push_back({.name = cpu, .part = {}, .latency = {}});
        for (std::uint32_t i = 2 * tray; i < 2 * tray + 2; ++i) {
            node.cables.push_back({"gpu" + std::to_string(i), cpu, pcie});
            node.cables.push_back({"nic" + std::to_string(i), cpu, pcie});
        }
    }
    return node;
}

Cluster racks(std::uint32_t count, std::uint32_t trays, FabricSpec spec) {
    Cluster cluster;
    cluster.name = "racks";
    cluster.node = rack(trays);
    cluster.nodes = count;
    cluster.fabric = std::move(spec);
    return cluster;
}

std::string first_switch(const Fabric& fabric, std::uint32_t node, std::uint32_t nic) {
    PathQuery query;
    query.src = fabric.nic(node, nic);
    query.dst = fabric.nic((node + 1) % fabric.node_count(), nic);
    const Path path = fabric.path(query);
    return fabric.device_name(fabric.ends(path.links[0]).to);
}

}  // namespace

TEST_CASE("a rail is an adapter's place in its tray") {
    const Trays trays(rack(3));
    CHECK(trays.count == 3);
    CHECK(trays.rails == 2);
    CHECK(trays.tray_of == std::vector<std::uint16_t>{0, 0, 1, 1, 2, 2});
    CHECK(trays.rail_of == std::vector<std::uint16_t>{0, 1, 0, 1, 0, 1});
    CHECK(trays.tray_of_gpu == std::vector<std::uint16_t>{0, 0, 1, 1, 2, 2});
    CHECK(trays.on_rail_of(0, 5) == 1);  // tray 0's on the rail of the third tray's second
    CHECK(trays.on_rail_of(4, 1) == 5);
}

TEST_CASE("a server is one tray with as many rails as adapters") {
    const Trays trays(tiny::cluster(2, 8, tiny::fabric(FabricKind::rail_optimized)).node);
    CHECK(trays.count == 1);
    CHECK(trays.rails == 8);
}

TEST_CASE("trays with different numbers of adapters count as one") {
    NodeTemplate node = rack(3);
    node.nics = 5;
    const Trays trays(node);
    CHECK(trays.count == 1);
    CHECK(trays.rails == 5);
}

TEST_CASE("the trays of racks are wired as servers are, rail by rail") {
    // 4 racks of 3 trays with 2 rails: 12 NICs a rail. Leaves of 8 ports take 4: 3 leaves a rail.
    const Fabric fabric(racks(4, 3, tiny::fabric(FabricKind::rail_optimized, 8)));
    CHECK(fabric.tiers().front().switches == 6);
    CHECK(first_switch(fabric, 0, 0) == "leaf0");
    CHECK(first_switch(fabric, 0, 1) == "leaf1");
    CHECK(first_switch(fabric, 0, 4) == "leaf0");  // tray 2 of rack 0, rail 0
    CHECK(first_switch(fabric, 1, 0) == "leaf0");  // tray 3
    CHECK(first_switch(fabric, 1, 2) == "leaf2");  // tray 4: the second leaf of rail 0
    // The same bill as that of twelve servers with two NICs.
    const Bill servers = bill_of(Fabric(tiny::cluster(12, 2, tiny::fabric(FabricKind::rail_optimized, 8))));
    const Bill trays = bill_of(fabric);
    CHECK(trays.switch_count() == servers.switch_count());
    CHECK(trays.cable_count() == servers.cable_count());
}

TEST_CASE("every kind of fabric joins the trays of racks with the switches of as many servers") {
    for (const FabricKind kind :
         {FabricKind::fat_tree, FabricKind::rail_optimized, FabricKind::rail_only, FabricKind::dragonfly,
          FabricKind::dragonfly_plus, FabricKind::torus, FabricKind::dual_plane}) {
        INFO(to_string(kind));
        const Bill servers = bill_of(Fabric(tiny::cluster(24, 2, tiny::fabric(kind, 16))));
        const Bill trays = bill_of(Fabric(racks(6, 4, tiny::fabric(kind, 16))));
        CHECK(trays.switch_count() == servers.switch_count());
        CHECK(trays.cable_count() == servers.cable_count());
    }
}

TEST_CASE("a GPU of a rack leaves by its own tray's adapters") {
    const Fabric fabric(racks(2, 3, tiny::fabric(FabricKind::rail_only, 8)));
    for (std::uint32_t src = 0; src < 6; ++src) {
        for (std::uint32_t dst = 6; dst < 12; ++dst) {
            PathQuery query;
            query.src = fabric.gpu(src);
            query.dst = fabric.gpu(dst);
            const Path path = fabric.path(query);
            for (const LinkId link : path.span()) {
                const LinkEnds ends = fabric.ends(link);
                if (fabric.kind(ends.to) == DeviceKind::fabric_switch && fabric.kind(ends.from) == DeviceKind::nic) {
                    CHECK(fabric.local_index(ends.from) / 2 == src / 2);
                    CHECK(fabric.local_index(ends.from) % 2 == dst % 2);
                }
            }
        }
    }
}

TEST_CASE("another tray's adapter is reached over NVLink through the GPU beside it") {
    const Fabric fabric(racks(2, 3, tiny::fabric(FabricKind::rail_optimized, 8)));
    PathQuery query;
    query.src = fabric.gpu(0);
    query.dst = fabric.nic(0, 5);
    const Path path = fabric.path(query);
    REQUIRE(path.count == 4);
    CHECK(fabric.device_name(fabric.ends(path.links[1]).to) == "node0.gpu5");
}
