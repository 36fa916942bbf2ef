#include "tests/support/catch.hpp"
#include "tests/support/tiny_clusters.hpp"
#include "topologies/bill.hpp"

using namespace fabricast;

TEST_CASE("a leaf's ports are its cables to NICs and spines, and their names find them") {
    for (const PathChoice choice : {PathChoice::adaptive, PathChoice::ecmp}) {
        Cluster cluster = tiny::sixteen_nodes();
        cluster.fabric.choice = choice;
        const Fabric fabric(cluster);
        const std::vector<SwitchPort> leaf = ports(fabric, "leaf3");
        REQUIRE(leaf.size() == 16 + 16);  // rail 3 of sixteen nodes, and as many upwards
        for (std::size_t number = 0; number < leaf.size(); ++number) {
            const SwitchPort& port = leaf[number];
            const SwitchPort same = find_port(fabric, "leaf3.port" + std::to_string(number));
            CHECK(same.out == port.out);
            CHECK(same.cable == port.cable);
            CHECK(fabric.ends(port.in).from == fabric.ends(port.out).to);
            CHECK(fabric.ends(port.in).to == port.device);
        }
        CHECK(fabric.device_name(fabric.ends(leaf[5].out).to) == "node5.nic3");
        CHECK((leaf[16].out == leaf[17].out) == (choice == PathChoice::adaptive));
        // Two spines of 64 cables each, drawn as one where all cables are used alike.
        CHECK(ports(fabric, "spine0").size() == 64);
        CHECK(ports(fabric, "spine1").size() == 64);
        CHECK(fabric.device_name(fabric.device("spine1")) == (choice == PathChoice::adaptive ? "spine0-1" : "spine1"));
        CHECK_THROWS_WITH(find_port(fabric, "leaf3.port32"), ContainsSubstring("port0 to port31"));
        CHECK_THROWS_WITH(find_port(fabric, "leaf33.port0"), ContainsSubstring("did you mean 'leaf3"));
        CHECK_THROWS_WITH(find_port(fabric, "node0.nic0.port0"), ContainsSubstring("is not a switch"));
        CHECK_THROWS_WITH(find_port(fabric, "leaf3"), ContainsSubstring("is not a port"));
    }
}
