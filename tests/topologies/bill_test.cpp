// Bills of materials by hand on small fabrics; counts over all sizes and published designs: counts_test.cpp.

#include "topologies/bill.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/tiny_clusters.hpp"
#include "tests/topologies/counted.hpp"

using namespace fabricast;

namespace {

using Counts = std::vector<std::uint64_t>;

Bill rail_bill(std::uint32_t nodes, int radix, std::uint32_t management = 0) {
    FabricSpec spec = tiny::fabric(FabricKind::rail_optimized, radix);
    spec.management_ports = management;
    return bill_of(Fabric(tiny::cluster(nodes, 8, spec)));
}

}  // namespace

TEST_CASE("management ports need free ports on the leaves") {
    CHECK_NOTHROW(rail_bill(31, 64, 8));
    CHECK_THROWS_AS(rail_bill(31, 64, 9), ClusterError);
    CHECK_THROWS_AS(rail_bill(32, 64, 1), ClusterError);
}

TEST_CASE("a scalable unit smaller than its leaves leaves ports, and oversubscription then saves spines") {
    FabricSpec spec = tiny::fabric(FabricKind::rail_optimized, 64, 2);
    spec.scalable_unit = 32;  // 32 down, 16 up, 16 left
    const Bill bill = bill_of(Fabric(tiny::cluster(128, 8, spec)));
    CHECK(counted(bill) == Counted{{32, 8}, {1024, 512}});
    CHECK(bill.switches[0].left() == 32 * 16);
    CHECK(bill.switches[1].left() == 0);
    CHECK(bill.ports_left() == 512);
    spec.scalable_unit = 43;  // at 2:1 a leaf has 42 ports down
    CHECK_THROWS_AS(Fabric(tiny::cluster(128, 8, spec)), ClusterError);
}

TEST_CASE("how many ports of a drawn graph are left is not known") {
    FabricSpec spec = tiny::fabric(FabricKind::explicit_graph);
    Cluster cluster = tiny::cluster(2, 1, spec);
    cluster.graph.devices.push_back({.name = "leaf", .part = {}, .latency = {}});
    for (const char* nic : {"node0.nic0", "node1.nic0"}) { cluster.graph.cables.push_back({nic, "leaf", spec.link}); }
    const Bill bill = bill_of(Fabric(std::move(cluster)));
    CHECK(bill.switches.front().used == 2);
    CHECK_FALSE(bill.switches.front().left());
    CHECK_FALSE(bill.ports_left());
}

TEST_CASE("every port is used once or left, whatever the fabric") {
    std::vector<FabricSpec> specs;
    for (const FabricKind kind : {FabricKind::single_switch, FabricKind::fat_tree, FabricKind::rail_optimized,
                                  FabricKind::rail_only, FabricKind::dragonfly, FabricKind::dragonfly_plus}) {
        specs.push_back(tiny::fabric(kind, kind == FabricKind::single_switch ? 64 : 16));
    }
    for (const FabricSpec& spec : specs) {
        INFO(to_string(spec.kind));
        const Bill bill = bill_of(Fabric(tiny::cluster(24, 2, spec)));
        std::uint64_t ends = 0;
        for (std::size_t i = 0; i < bill.cables.size(); ++i) {
            ends += (i == 0 ? 1 : 2) * bill.cables[i].cables;  // a NIC's cable has one end on a switch
        }
        std::uint64_t used = 0;
        for (const SwitchCount& s : bill.switches) {
            CHECK(s.used <= s.ports);
            CHECK(s.ports == s.switches * static_cast<std::uint64_t>(spec.radix));
            used += s.used;
        }
        CHECK(used == ends);
        CHECK(bill.cables.front().cables == 48);
    }
}

TEST_CASE("one node has no fabric to buy") {
    const Bill bill = bill_of(Fabric(tiny::one_node()));
    CHECK(bill.gpus == 4);
    CHECK(bill.switch_count() == 0);
    CHECK(bill.cable_count() == 0);
}
