#include "topologies/fabric.hpp"

#include <set>

#include "tests/support/catch.hpp"
#include "tests/support/tiny_clusters.hpp"

using namespace fabricast;

namespace {

std::vector<std::string> names(const Fabric& fabric, const Path& path) {
    std::vector<std::string> named;
    for (const LinkId link : path.span()) { named.push_back(fabric.link_name(link)); }
    return named;
}

PathQuery between(DeviceId src, DeviceId dst) {
    PathQuery query;
    query.src = src;
    query.dst = dst;
    return query;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("two GPUs on an NVSwitch are one link up and one link down apart") {
    const Fabric fabric(tiny::one_node(4));
    const Path path = fabric.path(between(fabric.gpu(0), fabric.gpu(3)));
    CHECK(names(fabric, path) == Names{"node0.gpu0 -> node0.nvswitch", "node0.nvswitch -> node0.gpu3"});
    CHECK(path.latency == microseconds(1));
    CHECK(fabric.link(path.links[0]).capacity == 100e9);
    CHECK(fabric.link(path.links[0]).cls == LinkClass::nvlink);
}

TEST_CASE("between nodes a path leaves by the GPU's own NIC and latency is the sum over its links") {
    const Fabric fabric(tiny::two_nodes());
    const Path path = fabric.path(between(fabric.gpu(1), fabric.gpu(3)));
    CHECK(names(fabric, path) == Names{"node0.gpu1 -> node0.switch1", "node0.switch1 -> node0.nic1",
                                       "node0.nic1 -> leaf0", "leaf0 -> node1.nic1", "node1.nic1 -> node1.switch1",
                                       "node1.switch1 -> node1.gpu1"});
    // 4 PCIe cables of 100 ns, 2 network cables of 300 ns, one switch of 200 ns.
    CHECK(path.latency == nanoseconds(4 * 100 + 2 * 300 + 200));
    Duration sum{};
    for (const LinkId link : path.span()) { sum += fabric.link(link).latency; }
    CHECK(path.latency == sum);
    CHECK(fabric.link(path.links[2]).capacity == 25e9);
}

TEST_CASE("a NIC beside another GPU is reached over NVLink through that GPU") {
    const Fabric fabric(tiny::two_nodes());
    PathQuery query = between(fabric.gpu(0), fabric.gpu(3));
    query.src_nic = 1;
    const Path path = fabric.path(query);
    CHECK(names(fabric, path) == Names{"node0.gpu0 -> node0.nvswitch", "node0.nvswitch -> node0.gpu1",
                                       "node0.gpu1 -> node0.switch1", "node0.switch1 -> node0.nic1",
                                       "node0.nic1 -> leaf0", "leaf0 -> node1.nic1", "node1.nic1 -> node1.switch1",
                                       "node1.switch1 -> node1.gpu1"});
}

TEST_CASE("without GPUDirect network traffic is staged through the host memory of both ends") {
    const Fabric fabric(tiny::two_nodes());
    PathQuery query = between(fabric.gpu(0), fabric.gpu(2));
    query.gpu_direct = false;
    const Path path = fabric.path(query);
    CHECK(names(fabric, path) ==
          Names{"node0.gpu0 -> node0.switch0", "node0.switch0 -> node0.cpu0", "node0.cpu0 -> node0.memory0",
                "node0.memory0 -> node0.cpu0", "node0.cpu0 -> node0.switch0", "node0.switch0 -> node0.nic0",
                "node0.nic0 -> leaf0", "leaf0 -> node1.nic0", "node1.nic0 -> node1.switch0",
                "node1.switch0 -> node1.cpu0", "node1.cpu0 -> node1.memory0", "node1.memory0 -> node1.cpu0",
                "node1.cpu0 -> node1.switch0", "node1.switch0 -> node1.gpu0"});
}

TEST_CASE("GPUs without NVLink copy peer to peer under one PCIe switch and through host memory above it") {
    Cluster cluster = tiny::one_node(4);
    cluster.node.nics = 2;
    tiny::add_pcie(cluster.node);
    std::erase_if(cluster.node.cables, [](const NodeCable& cable) { return cable.b == "nvswitch"; });
    const Fabric fabric(cluster);
    CHECK(names(fabric, fabric.path(between(fabric.gpu(0), fabric.gpu(1)))) ==
          Names{"node0.gpu0 -> node0.switch0", "node0.switch0 -> node0.gpu1"});
    CHECK(names(fabric, fabric.path(between(fabric.gpu(0), fabric.gpu(2)))) ==
          Names{"node0.gpu0 -> node0.switch0", "node0.switch0 -> node0.cpu0", "node0.cpu0 -> node0.memory0",
                "node0.memory0 -> node0.cpu0", "node0.cpu0 -> node0.switch1", "node0.switch1 -> node0.gpu2"});
    PathQuery direct = between(fabric.gpu(0), fabric.gpu(2));
    direct.kind = PathKind::p2p;
    CHECK(fabric.path(direct).count == 4);

    cluster.node.peer_to_peer = false;  // then even neighbours go through the host
    const Fabric refused(cluster);
    CHECK(refused.path(between(refused.gpu(0), refused.gpu(1))).count == 6);
}

TEST_CASE("both directions through a device of limited service cross the same shared link") {
    Cluster cluster = tiny::one_node(2);
    tiny::add_pcie(cluster.node);
    cluster.node.devices.push_back(
        {.name = "bridge0", .part = {}, .latency = nanoseconds(50), .duplex_capacity = 38e9});
    const LinkSpec pcie = tiny::link(LinkFamily::pcie, 26, nanoseconds(100));
    cluster.node.cables.push_back({"gpu0", "bridge0", pcie});
    cluster.node.cables.push_back({"bridge0", "cpu0", pcie});
    const Fabric fabric(cluster);
    const DeviceId memory = fabric.device("node0.memory0");
    const Path out = fabric.path(between(fabric.gpu(0), memory));
    const Path in = fabric.path(between(memory, fabric.gpu(0)));
    const Names crossed = names(fabric, out);
    CHECK(crossed[1] == "node0.bridge0 (shared)");
    CHECK(out.links[1] == in.links[in.count - 2]);
    CHECK(fabric.link(out.links[1]).capacity == 38e9);
    CHECK(fabric.link(out.links[0]).latency == nanoseconds(150));  // the bridge behind the cable included
}

TEST_CASE("both directions of a cable into a root port cross the port's one service") {
    Cluster cluster = tiny::one_node(1);
    tiny::add_pcie(cluster.node);
    NodeCable cable{"gpu0", "cpu0", tiny::link(LinkFamily::pcie, 26, nanoseconds(100))};
    cable.duplex_capacity = 38e9;
    cluster.node.cables.push_back(cable);
    const Fabric fabric(cluster);
    const DeviceId memory = fabric.device("node0.memory0");
    CHECK(names(fabric, fabric.path(between(fabric.gpu(0), memory))) ==
          Names{"node0.gpu0 -> node0.cpu0", "node0.gpu0 <-> node0.cpu0 (shared)", "node0.cpu0 -> node0.memory0"});
    const Path in = fabric.path(between(memory, fabric.gpu(0)));
    CHECK(fabric.link_name(in.links[2]) == "node0.gpu0 <-> node0.cpu0 (shared)");
    CHECK(fabric.link(in.links[2]).capacity == 38e9);
}

TEST_CASE("writes between GPUs take nothing from each other in a root port of AMD's; a copy of the host's shares it") {
    Cluster cluster = tiny::one_node(2);
    tiny::add_pcie(cluster.node);
    cluster.node.cpu_vendor = "amd";
    for (const char* gpu : {"gpu0", "gpu1"}) {
        NodeCable cable{gpu, "cpu0", tiny::link(LinkFamily::pcie, 26, nanoseconds(100))};
        cable.duplex_capacity = 38e9;
        cluster.node.cables.push_back(cable);
    }
    const Fabric fabric(cluster);
    PathQuery peers = between(fabric.gpu(0), fabric.gpu(1));
    peers.kind = PathKind::p2p;
    CHECK(names(fabric, fabric.path(peers)) == Names{"node0.gpu0 -> node0.cpu0", "node0.cpu0 -> node0.gpu1"});
    const Names copied = names(fabric, fabric.path(between(fabric.gpu(1), fabric.device("node0.memory0"))));
    CHECK(copied[1] == "node0.gpu1 <-> node0.cpu0 (shared)");
    cluster.node.cpu_vendor = "intel";
    CHECK(Fabric(cluster).path(peers).count == 4);
}

TEST_CASE("every device and its name find each other") {
    const Fabric fabric(tiny::sixteen_nodes());
    std::set<std::string> seen;
    for (std::uint32_t d = 0; d < fabric.device_count(); ++d) {
        const std::string name = fabric.device_name(DeviceId{d});
        CHECK(seen.insert(name).second);
        CHECK(fabric.device(name) == DeviceId{d});
    }
    CHECK(fabric.device("node3.gpu5") == fabric.gpu(3 * 8 + 5));
    CHECK(fabric.device("node0.nic2") == fabric.nic(0, 2));
    CHECK(fabric.kind(fabric.device("leaf1")) == DeviceKind::fabric_switch);
    CHECK_THROWS_WITH(fabric.device("node3.gpu9"), ContainsSubstring("did you mean 'node3.gpu"));
    CHECK_THROWS_AS(fabric.device("node16.gpu0"), ClusterError);
    CHECK_THROWS_AS(fabric.device("node0.gpu0x"), ClusterError);
}

TEST_CASE("a path's links follow each other from device to device") {
    const Fabric fabric(tiny::sixteen_nodes());
    for (std::uint32_t src = 0; src < fabric.gpu_count(); src += 5) {
        for (std::uint32_t dst = 0; dst < fabric.gpu_count(); ++dst) {
            if (src == dst) { continue; }
            const Path path = fabric.path(between(fabric.gpu(src), fabric.gpu(dst)));
            DeviceId at = fabric.gpu(src);
            for (const LinkId link : path.span()) {
                const LinkEnds ends = fabric.ends(link);
                if (ends.resource) { continue; }
                REQUIRE(ends.from == at);
                at = ends.to;
            }
            REQUIRE(at == fabric.gpu(dst));
        }
    }
}

TEST_CASE("a cluster that cannot be wired says which figure is wrong") {
    Cluster two = tiny::one_node(2);
    two.nodes = 2;
    CHECK_THROWS_WITH(Fabric(two), ContainsSubstring("no fabric"));
    two.fabric = tiny::fabric(FabricKind::fat_tree);
    CHECK_THROWS_WITH(Fabric(two), ContainsSubstring("no NIC"));
    CHECK_THROWS_WITH(Fabric(tiny::cluster(40, 2, tiny::fabric(FabricKind::single_switch))),
                      ContainsSubstring("64 ports cannot take 80 cables"));
    Cluster loose = tiny::one_node(2);
    loose.node.cables.push_back({"gpu0", "switch7", tiny::link(LinkFamily::pcie, 50, nanoseconds(1))});
    CHECK_THROWS_WITH(Fabric(loose), ContainsSubstring("'switch7'"));
}

TEST_CASE("a hundred thousand nodes cost one node's tables") {
    const Fabric fabric(tiny::cluster(131072, 8, tiny::fabric(FabricKind::rail_optimized)));
    CHECK(fabric.gpu_count() == 1U << 20U);
    CHECK(fabric.tiers().size() == 4);  // three tiers of 64 ports end at 65,536 cables
    const Path path = fabric.path(between(fabric.gpu(5), fabric.gpu((1U << 20U) - 1)));
    CHECK(path.count == 2 + 1 + 6 + 1 + 2);
    CHECK(fabric.device(fabric.device_name(fabric.gpu(777777))) == fabric.gpu(777777));
}

TEST_CASE("a node without NICs has no way to the network, and says so") {
    const Fabric fabric(tiny::one_node(2));
    PathQuery query = between(fabric.gpu(0), fabric.gpu(1));
    query.kind = PathKind::network;
    CHECK_THROWS_WITH(fabric.path(query), ContainsSubstring("no path from node0.gpu0 to node0.gpu1"));
}
