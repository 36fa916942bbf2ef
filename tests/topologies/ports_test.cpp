#include "topologies/ports.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/tiny_clusters.hpp"

using namespace fabricast;

TEST_CASE("a leaf's ports are its cables to NICs and spines, and their names find them") {
    for (const PathChoice choice : {PathChoice::adaptive, PathChoice::ecmp}) {
        Cluster cluster = tiny::sixteen_nodes();
        cluster.fabric.choice = choice;
        const Fabric fabric(cluster);
        const std::vector<SwitchPort> leaf = ports(fabric, fabric.device("leaf3"));
        REQUIRE(leaf.size() == 16 + 32);  // rail 3 of sixteen nodes, and half a switch of 64 upwards
        for (const SwitchPort& port : leaf) {
            CHECK(find_port(fabric, port_name(fabric, port)).out == port.out);
            CHECK(fabric.ends(port.out).to == port.peer);
            CHECK(fabric.ends(port.in).from == port.peer);
            CHECK(fabric.ends(port.in).to == port.device);
        }
        CHECK(fabric.device_name(leaf[5].peer) == "node5.nic3");
        CHECK((leaf[16].out == leaf[17].out) == (choice == PathChoice::adaptive));
        CHECK(ports(fabric, fabric.device("spine0")).size() == (choice == PathChoice::adaptive ? 256U : 64U));
        CHECK_THROWS_WITH(find_port(fabric, "leaf3.port48"), ContainsSubstring("port0 to port47"));
        CHECK_THROWS_WITH(find_port(fabric, "leaf33.port0"), ContainsSubstring("did you mean 'leaf3"));
        CHECK_THROWS_WITH(find_port(fabric, "node0.nic0.port0"), ContainsSubstring("no switch"));
        CHECK_THROWS_WITH(find_port(fabric, "leaf3"), ContainsSubstring("no port"));
    }
}
