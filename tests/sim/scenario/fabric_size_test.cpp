// What fabrics of the catalogue's switches and links take, from a scenario's words to the switch and the cable.

#include <set>
#include <string>

#include "sim/scenario/build.hpp"
#include "sim/scenario/parse.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/topologies/counted.hpp"
#include "topologies/bill.hpp"

using namespace fabricast;

namespace {

Fabric fabric_of(const std::string& nodes, const std::string& fabric) {
    const Scenario scenario = parse_scenario(
        "name: t\ncluster: {node: " + nodes + ", fabric: {" + fabric + "}}\nworkload: {kind: collective}\n", "t.yaml");
    return Fabric(build(scenario, catalogue()));
}

Bill bill(const std::string& nodes, const std::string& fabric) { return bill_of(fabric_of(nodes, fabric)); }

}  // namespace

TEST_CASE("trunks of another rate than the link take ports of their own size") {
    const std::string ethernet = "kind: fat-tree, link: ethernet-400g, switch: spectrum-4, trunk: ethernet-";
    // 64 NICs of 400G on a leaf are half of 51.2 Tb/s; the other half is 32 trunks of 800G, or 128 of 200G.
    const Bill faster = bill("dgx-h100, nodes: 64", ethernet + "800g");
    CHECK(counted(faster) == Counted{{8, 4}, {512, 8 * 32}});
    CHECK(faster.ports_left() == 0);
    CHECK(counted(bill("dgx-h100, nodes: 64", ethernet + "400g")) == Counted{{8, 4}, {512, 8 * 64}});
    CHECK(counted(bill("dgx-h100, nodes: 64", ethernet + "200g")) == Counted{{8, 4}, {512, 8 * 128}});
    // A port of 800G splits into four at most: 42 NICs on 21 ports, with 168 trunks of 100G on 42.
    CHECK(counted(bill("dgx-h100, nodes: 64", ethernet + "100g")) == Counted{{13, 9}, {512, 13 * 160}});
    // 144 ports: 192 NICs of NDR on 96, 48 trunks of XDR at 2:1. Spines use 384 of 3 * 144 ports, two of NDR each.
    const Bill thick = bill("dgx-h100, nodes: 192",
                            "kind: fat-tree, link: infiniband-ndr, trunk: infiniband-xdr, switch: "
                            "quantum-x800, oversubscription: 2");
    CHECK(counted(thick) == Counted{{8, 3}, {1536, 8 * 48}});
    CHECK(thick.ports_left() == 2 * (3 * 144 - 384));
    CHECK_THROWS_WITH(bill("dgx-h100, nodes: 64", "kind: fat-tree, link: ethernet-400g, trunk: infiniband-ndr"),
                      ContainsSubstring("speaks ethernet, not infiniband"));
}

TEST_CASE("a small fabric of several planes is one switch in each") {
    const std::string h100 = "kind: dual-plane, link: ethernet-400g, switch: spectrum-4";
    CHECK(counted(bill("dgx-h100, nodes: 8", h100)) == Counted{{2}, {2 * 64}});
    CHECK(counted(bill("dgx-h100, nodes: 8", h100 + ", planes: 3")) == Counted{{3}, {3 * 64}});
    CHECK(counted(bill("dgx-h100, nodes: 8", h100 + ", planes: 4")) == Counted{{4}, {4 * 64}});
    CHECK(counted(bill("dgx-h100, nodes: 8", h100 + ", tiers: 2")) == Counted{{16, 2}, {2 * 64, 2 * 32}});
    // 144 ports of XDR split into 288 of half the rate: 36 nodes of eight NICs fill them, management ports do not fit.
    const std::string b300 = "kind: dual-plane, link: infiniband-xdr, switch: quantum-x800";
    CHECK(counted(bill("dgx-b300, nodes: 16", b300)) == Counted{{2}, {2 * 128}});
    const Bill full = bill("dgx-b300, nodes: 36", b300);
    CHECK(counted(full) == Counted{{2}, {2 * 288}});
    CHECK(full.ports_left() == 0);
    CHECK(counted(bill("dgx-b300, nodes: 37", b300)) == Counted{{16, 4}, {2 * 296, 16 * 19}});
    CHECK(bill("dgx-b300, nodes: 36", b300 + ", management_ports: 2").switches.size() == 2);
}

TEST_CASE("the switches of two planes are not joined") {
    const Fabric fabric = fabric_of("dgx-h100, nodes: 8", "kind: dual-plane, link: ethernet-400g, switch: spectrum-4");
    CHECK(fabric.first_trunk() == fabric.link_count());
    std::set<std::string> leaves;
    for (std::uint32_t label = 0; label < 64; ++label) {
        PathQuery query;
        query.src = fabric.gpu(0);
        query.dst = fabric.gpu(8 * 5 + 3);
        query.kind = PathKind::network;
        query.flow_label = label;
        const Path path = fabric.path(query);
        for (const LinkId link : path.span()) {
            const DeviceId to = fabric.ends(link).to;
            if (fabric.kind(to) == DeviceKind::fabric_switch) { leaves.insert(fabric.device_name(to)); }
        }
    }
    CHECK(leaves == std::set<std::string>{"leaf0", "leaf1"});
    const BoughtSwitches bought(fabric);
    for (const std::uint32_t plane : {0U, 1U}) {  // each has a cable from every NIC, both directions
        const auto cables = bought.cables_of_plane("plane" + std::to_string(plane));
        REQUIRE(cables);
        CHECK(cables->size() == 2 * 64);
        for (const CablesOfLink& cable : *cables) {
            const auto ends = bought.ends(cable.link, 0);
            CHECK(bought.name(ends[0] ? *ends[0] : *ends[1]) == "leaf" + std::to_string(plane));
        }
    }
}
