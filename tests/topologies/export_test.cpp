#include "topologies/export.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/tiny_clusters.hpp"

using namespace fabricast;

namespace {

std::size_t count(const std::string& text, const std::string& what) {
    std::size_t found = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) { ++found; }
    return found;
}

}  // namespace

TEST_CASE("Graphviz sees every device once and every cable once") {
    const Fabric fabric(tiny::two_nodes());
    const std::string dot = to_dot(fabric);
    CHECK(count(dot, "[shape=") == fabric.device_count());
    CHECK(count(dot, " -- ") == fabric.link_count() / 2);  // no shared resources here: two links a cable
    CHECK(count(dot, "\"node0.nic1\" -- \"leaf0\" [label=\"25.0 GB/s\"]") == 1);
}

TEST_CASE("GraphML sees every link with its capacity and latency, names escaped") {
    Cluster cluster = tiny::two_nodes();
    cluster.name = "a<b>&\"c\"";
    const Fabric fabric(cluster);
    const std::string xml = to_graphml(fabric);
    CHECK(count(xml, "<node ") == fabric.device_count());
    CHECK(count(xml, "<edge ") == fabric.link_count());
    CHECK(count(xml, "node0.nic0 -&gt; leaf0") == 1);
    CHECK(count(xml, "<data key=\"capacity\">2.5e+10</data><data key=\"latency\">5e-07</data>") == 4);  // NIC to leaf
    CHECK(count(to_simgrid(fabric), "<zone id=\"a&lt;b&gt;&amp;&quot;c&quot;\"") == 1);
}

TEST_CASE("a SimGrid platform has a route for each ordered pair of GPUs, made of the fabric's links") {
    const Fabric fabric(tiny::two_nodes());
    const std::string xml = to_simgrid(fabric);
    CHECK(count(xml, "<host ") == 4);
    CHECK(count(xml, "<link id=") == fabric.link_count());
    CHECK(count(xml, "<route ") == 4 * 3);
    CHECK_THROWS_WITH(to_simgrid(Fabric(tiny::cluster(300, 8, tiny::fabric(FabricKind::fat_tree)))),
                      ContainsSubstring("2400 GPUs are too many"));
}
