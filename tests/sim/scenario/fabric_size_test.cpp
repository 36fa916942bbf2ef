// What fabrics of the catalogue's switches and links take, from a scenario's words to the switch and the cable.

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
