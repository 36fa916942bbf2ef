// What every kind of fabric must keep: routes hold together, equal paths are all used, the arithmetic is the flat
// graph's shortest path, and halves of a cluster see the bandwidth that the shape promises.
#include <optional>
#include <set>

#include "tests/support/catch.hpp"
#include "tests/support/tiny_clusters.hpp"
#include "topologies/bisection.hpp"
#include "topologies/dragonfly_plan.hpp"
#include "topologies/fabric.hpp"
#include "topologies/fabric_generator.hpp"

using namespace fabricast;

namespace {

struct Shape {
    FabricKind kind;
    std::uint32_t nodes;
    std::uint32_t gpus;
    int radix;
    double oversubscription = 1;
    std::vector<int> shape = {};
    int tiers = 0;
};

// Small enough to look at every pair, large enough that each has all its tiers.
const std::vector<Shape> shapes = {
    {FabricKind::single_switch, 6, 2, 16},
    {FabricKind::fat_tree, 12, 2, 8},
    {FabricKind::fat_tree, 30, 2, 8},
    {FabricKind::fat_tree, 24, 1, 6, 2},
    {FabricKind::fat_tree, 70, 1, 6},  // four tiers
    {FabricKind::rail_optimized, 16, 4, 8},
    {FabricKind::rail_optimized, 40, 2, 8},
    {FabricKind::rail_optimized, 30, 2, 12, 2},
    {FabricKind::fat_tree, 27, 1, 8, 1.4},         // five cables of a leaf to four spines, three of the last
    {FabricKind::rail_optimized, 23, 2, 12, 1.4},  // uneven as well
    {FabricKind::fat_tree, 29, 1, 6},              // three tiers, pods of three leaves and of two
    {FabricKind::rail_only, 16, 2, 4},
    {FabricKind::dual_plane, 24, 2, 8},
    {FabricKind::dragonfly, 24, 1, 12, 1, {4, 3, 2}},
    {FabricKind::dragonfly, 40, 2, 16},
    {FabricKind::dragonfly_plus, 24, 1, 8, 1, {3, 4, 2}},
    {FabricKind::dragonfly_plus, 60, 2, 8},
    {FabricKind::dragonfly, 29, 1, 8},            // the last group is smaller
    {FabricKind::dragonfly_plus, 29, 1, 8, 1.4},  // and here leaves have cables left over for some spines
    {FabricKind::torus, 12, 1, 16, 1, {3, 4}},
    {FabricKind::torus, 24, 2, 16, 1, {2, 3, 4}},
    {FabricKind::torus, 27, 1, 16},
};

Cluster shaped_cluster(const Shape& shape, PathChoice choice) {
    FabricSpec spec = tiny::fabric(shape.kind, shape.radix, shape.oversubscription);
    spec.shape = shape.shape;
    spec.tiers = shape.tiers;
    spec.choice = choice;
    return tiny::cluster(shape.nodes, shape.gpus, spec);
}

std::string describe(const Shape& shape, PathChoice choice) {
    return std::string(to_string(shape.kind)) + " of " + std::to_string(shape.nodes) + " nodes, radix " +
           std::to_string(shape.radix) + (choice == PathChoice::ecmp ? ", ecmp" : ", adaptive");
}

PathQuery between_nics(const Fabric& fabric, std::uint32_t a, std::uint32_t b) {
    const std::uint32_t nics = fabric.nics_per_node();
    PathQuery query;
    query.src = fabric.nic(a / nics, a % nics);
    query.dst = fabric.nic(b / nics, b % nics);
    query.kind = PathKind::network;
    return query;
}

// Calls visit(path, query) for every pair of NICs of different nodes that the fabric joins.
template <class Visit> void for_each_pair(const Fabric& fabric, Visit&& visit) {
    const std::uint32_t nics = fabric.nics_per_node();
    const bool rail_only = fabric.cluster().fabric.kind == FabricKind::rail_only;
    for (std::uint32_t a = 0; a < fabric.node_count() * nics; ++a) {
        for (std::uint32_t b = 0; b < fabric.node_count() * nics; ++b) {
            if (a / nics != b / nics && (!rail_only || a % nics == b % nics)) {
                PathQuery query = between_nics(fabric, a, b);
                query.flow_label = a * 31 + b;
                visit(fabric.path(query), query);
            }
        }
    }
}

const std::vector<LinkClass> network = {LinkClass::nic_port, LinkClass::leaf_spine, LinkClass::spine_core,
                                        LinkClass::global,   LinkClass::torus,      LinkClass::other};

}  // namespace

TEST_CASE("every route of every fabric holds together from NIC to NIC, without passing a link twice") {
    for (const Shape& shape : shapes) {
        for (const PathChoice choice : {PathChoice::adaptive, PathChoice::ecmp}) {
            INFO(describe(shape, choice));
            const Fabric fabric(shaped_cluster(shape, choice));
            for_each_pair(fabric, [&](const Path& path, const PathQuery& query) {
                DeviceId at = query.src;
                Duration latency{};
                std::set<LinkId> seen;
                for (const LinkId link : path.span()) {
                    const LinkEnds ends = fabric.ends(link);
                    REQUIRE(ends.from == at);
                    REQUIRE(fabric.link(link).capacity > 0);
                    REQUIRE(seen.insert(link).second);
                    latency += fabric.link(link).latency;
                    at = ends.to;
                }
                REQUIRE(at == query.dst);
                REQUIRE(path.latency == latency);
            });
        }
    }
}

// The slow reference for Fabric::path: all links of some classes, searched breadth first.
class FlatGraph {
public:
    FlatGraph(const Fabric& fabric, const std::vector<LinkClass>& over) : fabric_(fabric), out_(fabric.device_count()) {
        for (std::uint32_t l = 0; l < fabric.link_count(); ++l) {
            const LinkEnds ends = fabric.ends(LinkId{l});
            if (!ends.resource && std::find(over.begin(), over.end(), fabric.link(LinkId{l}).cls) != over.end()) {
                out_[index(ends.from)].push_back(LinkId{l});
            }
        }
    }

    // Empty if there is no path. GPUs, NICs and host memory do not forward.
    std::vector<LinkId> shortest_path(DeviceId from, DeviceId to) const {
        std::vector<std::optional<LinkId>> into(out_.size());
        std::vector<DeviceId> queue = {from};
        for (std::size_t next = 0; next < queue.size(); ++next) {
            const DeviceKind kind = fabric_.kind(queue[next]);
            const bool end = kind == DeviceKind::gpu || kind == DeviceKind::nic || kind == DeviceKind::host_memory;
            for (const LinkId link : queue[next] != from && end ? std::vector<LinkId>{} : out_[index(queue[next])]) {
                const DeviceId reached = fabric_.ends(link).to;
                if (reached != from && !into[index(reached)]) {
                    into[index(reached)] = link;
                    queue.push_back(reached);
                }
            }
        }
        std::vector<LinkId> path;
        for (DeviceId at = to; into[index(at)]; at = fabric_.ends(path.back()).from) {
            path.push_back(*into[index(at)]);
        }
        return {path.rbegin(), path.rend()};
    }

private:
    const Fabric& fabric_;
    std::vector<std::vector<LinkId>> out_;
};

TEST_CASE("the arithmetic takes the flat graph's shortest path") {
    for (const Shape& shape : shapes) {
        for (const PathChoice choice : {PathChoice::adaptive, PathChoice::ecmp}) {
            const bool detours = shape.kind == FabricKind::dragonfly && choice == PathChoice::ecmp;
            if (shape.nodes > 30 || detours) {
                continue;  // a dragonfly's minimal route goes by the chosen global cable, wherever that starts
            }
            INFO(describe(shape, choice));
            const Fabric fabric(shaped_cluster(shape, choice));
            const FlatGraph flat(fabric, network);
            for_each_pair(fabric, [&](const Path& path, const PathQuery& query) {
                if (static_cast<std::uint32_t>(query.src) % 7 != 0) {
                    return;  // the slow twin walks the whole graph for each
                }
                const std::vector<LinkId> slow = flat.shortest_path(query.src, query.dst);
                REQUIRE(path.count == slow.size());
                // Adaptive trunks are single links: then the shortest path is the only one.
                const bool unique = choice == PathChoice::adaptive && shape.kind != FabricKind::torus &&
                                    shape.kind != FabricKind::dual_plane;
                if (unique) { REQUIRE(std::equal(slow.begin(), slow.end(), path.links.begin())); }
            });
        }
    }
}

TEST_CASE("flows between all NICs use every link of every fabric") {
    for (const Shape& shape : shapes) {
        if (shape.nodes > 30) {
            continue;  // too many pairs, and pods left part empty have spare trunks
        }
        for (const PathChoice choice : {PathChoice::adaptive, PathChoice::ecmp}) {
            INFO(describe(shape, choice));
            const Fabric fabric(shaped_cluster(shape, choice));
            std::set<LinkId> idle;
            for (std::uint32_t l = 0; l < fabric.link_count(); ++l) {
                if (std::find(network.begin(), network.end(), fabric.link(LinkId{l}).cls) != network.end()) {
                    idle.insert(LinkId{l});
                }
            }
            for (std::uint32_t label = 0; label < 40 && !idle.empty(); ++label) {
                for_each_pair(fabric, [&](const Path&, PathQuery query) {
                    query.flow_label = label;
                    const Path taken = fabric.path(query);
                    for (const LinkId link : taken.span()) { idle.erase(link); }
                });
            }
            CHECK(idle.empty());
        }
    }
}

TEST_CASE("halves of a cluster see what the shape promises") {
    const double cable = 25e9;
    const auto bisection = [](const Shape& shape, PathChoice choice = PathChoice::adaptive) {
        return bisection_bandwidth(Fabric(shaped_cluster(shape, choice)));
    };
    // Non-blocking: half of all NICs at full rate. Oversubscribed o:1: what the leaves have up, 1/o of it.
    CHECK(bisection({FabricKind::single_switch, 6, 2, 16}) == Approx(6 * cable));
    CHECK(bisection({FabricKind::fat_tree, 16, 2, 8}) == Approx(16 * cable));
    CHECK(bisection({FabricKind::fat_tree, 16, 2, 8}, PathChoice::ecmp) == Approx(16 * cable));
    CHECK(bisection({FabricKind::fat_tree, 128, 1, 8}) == Approx(64 * cable));
    CHECK(bisection({FabricKind::fat_tree, 32, 1, 12, 2}) == Approx(16 * cable / 2));
    CHECK(bisection({FabricKind::fat_tree, 48, 1, 16, 3}) == Approx(24 * cable / 3));
    CHECK(bisection({FabricKind::rail_optimized, 16, 4, 8}) == Approx(32 * cable));
    CHECK(bisection({FabricKind::rail_only, 16, 2, 4}) == Approx(16 * cable));
    // k-ary n-cube: 2 n^(k-1) cables; two NICs a node would send more than the cables carry.
    CHECK(bisection({FabricKind::torus, 64, 1, 16, 1, {4, 4, 4}}) == Approx(2 * 16 * cable));
    CHECK(bisection({FabricKind::torus, 64, 1, 16, 1, {8, 8}}) == Approx(2 * 8 * cable));
    CHECK(bisection({FabricKind::torus, 64, 1, 16, 1, {16, 4}}) == Approx(2 * 4 * cable));
    CHECK(bisection({FabricKind::torus, 8, 1, 16, 1, {2, 2, 2}}) == Approx(4 * cable));  // the NICs
    // Four groups of three routers with two nodes each: two groups to two, four pairs of groups, two cables each.
    const DragonflyPlan fly =
        plan_dragonfly(shaped_cluster({FabricKind::dragonfly, 24, 1, 12, 1, {4, 3, 2}}, PathChoice::adaptive));
    CHECK(fly.cables(0, 1) == 2);
    CHECK(bisection({FabricKind::dragonfly, 24, 1, 12, 1, {4, 3, 2}}) == Approx(4 * 2 * cable));
    CHECK(bisection({FabricKind::dragonfly, 24, 1, 12, 1, {4, 3, 2}}, PathChoice::ecmp) == Approx(4 * 2 * cable));
    // Routers of a small group have cables for all that their four NICs send, not one to each other.
    for (const PathChoice choice : {PathChoice::adaptive, PathChoice::ecmp}) {
        for (const std::uint32_t nodes : {8U, 12U, 16U, 20U, 32U}) {
            INFO(nodes << " nodes");
            CHECK(bisection({FabricKind::dragonfly, nodes, 1, 16}, choice) >= nodes / 2 * cable * 0.999);
        }
    }
    // At 2:1 a group of sixteen routers, each of two nodes with eight NICs, has one cable for each two routers: 8 x 8
    // of them cross its middle, fewer than the 128 NICs of a half.
    for (const PathChoice choice : {PathChoice::adaptive, PathChoice::ecmp}) {
        CHECK(bisection({FabricKind::dragonfly, 32, 8, 64, 2}, choice) == Approx(64 * cable));
    }
    // One node: its GPUs' NVLinks.
    CHECK(bisection_bandwidth(Fabric(tiny::one_node(8))) == Approx(4 * 100e9));
}

TEST_CASE("a balanced dragonfly has the textbook's routers and cables") {
    // p = h = 2, a = 4: at most a * h + 1 = 9 groups, one cable between every two.
    Cluster full = shaped_cluster({FabricKind::dragonfly, 72, 1, 7, 1, {9, 4, 2}}, PathChoice::ecmp);
    CHECK(plan_dragonfly(full).cables(0, 1) == 1);
    const std::vector<FabricTier> tiers = make_dragonfly(full)->tiers();
    CHECK(tiers[0].switches == 36);
    CHECK(tiers[0].cables == 9 * 4 * 3 / 2);  // a (a - 1) / 2 a group
    CHECK(tiers[1].cables == 9 * 8 / 2);      // a h / 2 a group
    full = shaped_cluster({FabricKind::dragonfly, 80, 1, 7, 1, {10, 4, 2}}, PathChoice::ecmp);
    CHECK_THROWS_WITH(make_dragonfly(full), ContainsSubstring("9 other groups"));
}

TEST_CASE("a torus' shape must hold its nodes, and a diameter that no path could hold is refused") {
    CHECK_THROWS_WITH(Fabric(shaped_cluster({FabricKind::torus, 12, 1, 16, 1, {3, 3}}, PathChoice::adaptive)),
                      ContainsSubstring("holds 9 nodes, but the cluster has 12"));
    CHECK_THROWS_WITH(Fabric(shaped_cluster({FabricKind::torus, 200, 1, 16, 1, {200}}, PathChoice::adaptive)),
                      ContainsSubstring("links"));
}

TEST_CASE("a fabric drawn by hand routes by its cables and spreads over equal ones") {
    FabricSpec spec;
    spec.kind = FabricKind::explicit_graph;
    Cluster drawn = tiny::cluster(4, 1, spec);
    const LinkSpec cable = tiny::link(LinkFamily::ethernet, 25, nanoseconds(300));
    for (const char* name : {"left", "right", "up0", "up1"}) {
        drawn.graph.devices.push_back({.name = name, .part = {}, .latency = nanoseconds(200)});
    }
    for (int node = 0; node < 4; ++node) {
        drawn.graph.cables.push_back({"node" + std::to_string(node) + ".nic0", node < 2 ? "left" : "right", cable});
    }
    for (const char* side : {"left", "right"}) {
        for (const char* up : {"up0", "up1"}) { drawn.graph.cables.push_back({side, up, cable, 2}); }
    }
    const Fabric fabric(drawn);
    CHECK(fabric.path(between_nics(fabric, 0, 1)).count == 2);
    std::set<std::string> ways;
    for (std::uint32_t label = 0; label < 32; ++label) {
        PathQuery query = between_nics(fabric, 0, 3);
        query.flow_label = label;
        const Path path = fabric.path(query);
        REQUIRE(path.count == 4);
        CHECK(path.latency == nanoseconds(4 * 300 + 3 * 200));
        CHECK(fabric.link(path.links[1]).capacity == 50e9);
        ways.insert(fabric.device_name(fabric.ends(path.links[1]).to));
    }
    CHECK(ways == std::set<std::string>{"up0", "up1"});
    CHECK(bisection_bandwidth(fabric) == Approx(2 * 25e9));
    CHECK(fabric.kind(fabric.device("left")) == DeviceKind::fabric_switch);

    Cluster loose = drawn;  // NICs without a cable are nobody's nearest
    loose.node = tiny::cluster(4, 2, spec).node;
    const Fabric two(loose);
    CHECK(two.nics_per_node() == 1);
    CHECK(two.nearest_nic(1) == 0);

    drawn.graph.cables.erase(drawn.graph.cables.begin());
    const Fabric cut(drawn);
    CHECK_THROWS_WITH(cut.path(between_nics(cut, 0, 1)), ContainsSubstring("no path from node0.nic0 to node1.nic0"));
    drawn.graph.cables.push_back({"left", "rigth", cable});
    CHECK_THROWS_WITH(Fabric(drawn), ContainsSubstring("did you mean 'right'"));
}

TEST_CASE("a graph may draw its nodes as well, as long as they are alike") {
    Cluster drawn;
    drawn.name = "drawn";
    drawn.fabric.kind = FabricKind::explicit_graph;
    drawn.graph.devices = {{.name = "leaf", .part = {}, .latency = nanoseconds(200)}};
    const LinkSpec nvlink = tiny::link(LinkFamily::nvlink, 100, nanoseconds(500));
    const LinkSpec pcie = tiny::link(LinkFamily::pcie, 50, nanoseconds(100));
    for (const std::string node : {"node0", "node1"}) {
        drawn.graph.cables.push_back({node + ".gpu0", node + ".gpu1", nvlink, 2});
        drawn.graph.cables.push_back({node + ".gpu0", node + ".switch0", pcie});
        drawn.graph.cables.push_back({node + ".gpu1", node + ".switch0", pcie});
        drawn.graph.cables.push_back({node + ".nic0", node + ".switch0", pcie});
        drawn.graph.cables.push_back({node + ".nic0", "leaf", tiny::link(LinkFamily::ethernet, 25, nanoseconds(300))});
    }
    const Fabric fabric(drawn);
    CHECK(fabric.gpu_count() == 4);
    CHECK(fabric.nics_per_node() == 1);
    CHECK(fabric.node().nvlink == NvlinkShape::mesh);
    PathQuery query;
    query.src = fabric.device("node0.gpu1");
    query.dst = fabric.device("node0.gpu0");
    CHECK(fabric.path(query).count == 1);
    CHECK(fabric.link(fabric.path(query).links[0]).capacity == 200e9);
    query.dst = fabric.device("node1.gpu0");
    CHECK(fabric.path(query).count == 6);

    Cluster uneven = drawn;
    uneven.graph.cables.push_back({"node1.gpu2", "node1.switch0", pcie});
    CHECK_THROWS_WITH(Fabric(uneven), ContainsSubstring("node1 has other devices"));
    uneven = drawn;
    uneven.graph.cables.pop_back();
    CHECK(Fabric(uneven).gpu_count() == 4);  // a cable of the fabric may be missing
    uneven.graph.cables.pop_back();
    CHECK_THROWS_WITH(Fabric(uneven), ContainsSubstring("node1"));
}

TEST_CASE("paths lead to switches as well, up from a GPU and down to one") {
    const Fabric fabric(tiny::cluster(64, 8, tiny::fabric(FabricKind::rail_optimized)));
    PathQuery query;
    query.src = fabric.gpu(3);
    query.dst = fabric.device("leaf3");
    CHECK(fabric.path(query).count == 3);  // PCIe, PCIe, NIC to leaf
    std::swap(query.src, query.dst);
    CHECK(fabric.path(query).count == 3);
    query.src = fabric.device("leaf3");
    query.dst = fabric.device("spine0");
    CHECK(fabric.path(query).count == 1);
    query.dst = fabric.gpu(40 * 8);  // another set, another rail
    CHECK(fabric.path(query).count == 2 + 3);
}
