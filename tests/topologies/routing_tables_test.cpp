// A subnet manager's tables: each adapter by one way, spread over what there is; what a graph cannot do is refused.

#include "topologies/routing_tables.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "models/embedded_catalog.hpp"
#include "tests/support/catch.hpp"
#include "topologies/fabric.hpp"
#include "topologies/node_reader.hpp"

using namespace fabricast;

namespace {

NodeCable cable(const std::string& a, const std::string& b, int count = 1) {
    NodeCable made{.a = a, .b = b, .link = {}, .count = count};
    made.link.rate = {50, 1000};
    made.link.latency = microseconds(1);
    return made;
}

NodeDevice device(const std::string& name) {
    NodeDevice made;
    made.name = name;
    return made;
}

// `leaves` with four nodes of one GPU each, all joined to every spine.
Cluster tree(int leaves, int spines, GraphRouting routing) {
    static const Catalog catalog = read_catalog();
    Cluster cluster;
    cluster.name = "tree";
    cluster.node = node_template("v100-pcie-1x", catalog);
    cluster.node.nics = 1;
    cluster.nodes = static_cast<std::uint32_t>(4 * leaves);
    cluster.fabric.kind = FabricKind::explicit_graph;
    cluster.fabric.routing = routing;
    cluster.fabric.choice = PathChoice::ecmp;
    for (int l = 0; l < leaves; ++l) {
        cluster.graph.devices.push_back(device("leaf" + std::to_string(l)));
        for (int n = 4 * l; n < 4 * l + 4; ++n) {
            cluster.graph.cables.push_back(cable("node" + std::to_string(n) + ".nic0", "leaf" + std::to_string(l)));
        }
    }
    for (int s = 0; s < spines; ++s) {
        cluster.graph.devices.push_back(device("spine" + std::to_string(s)));
        for (int l = 0; l < leaves; ++l) {
            cluster.graph.cables.push_back(cable("leaf" + std::to_string(l), "spine" + std::to_string(s)));
        }
    }
    return cluster;
}

std::string spine_between(const Fabric& fabric, std::uint32_t from, std::uint32_t to, std::uint32_t label = 0) {
    const Path path = fabric.path({.src = fabric.gpu(from), .dst = fabric.gpu(to), .flow_label = label});
    for (const LinkId link : path.span()) {
        const std::string name = fabric.device_name(fabric.ends(link).to);
        if (name.starts_with("spine")) { return name; }
    }
    return "";
}

}  // namespace

TEST_CASE("with tables the flow does not choose its way, the adapter does") {
    for (const GraphRouting routing : {GraphRouting::min_hop, GraphRouting::up_down, GraphRouting::fat_tree}) {
        const Fabric fabric(tree(4, 4, routing));
        for (std::uint32_t to = 4; to < 16; ++to) {
            std::set<std::string> spines;
            for (std::uint32_t label = 0; label < 50; ++label) { spines.insert(spine_between(fabric, 0, to, label)); }
            CHECK(spines.size() == 1);
        }
    }
    const Fabric hashed(tree(4, 4, GraphRouting::ecmp));
    std::set<std::string> spines;
    for (std::uint32_t label = 0; label < 50; ++label) { spines.insert(spine_between(hashed, 0, 4, label)); }
    CHECK(spines.size() == 4);
}

TEST_CASE("the adapters of a leaf come over all spines, as many over each") {
    for (const GraphRouting routing : {GraphRouting::min_hop, GraphRouting::up_down, GraphRouting::fat_tree}) {
        const Fabric fabric(tree(4, 4, routing));
        for (std::uint32_t leaf = 1; leaf < 4; ++leaf) {
            std::set<std::string> spines;
            for (std::uint32_t to = 4 * leaf; to < 4 * leaf + 4; ++to) { spines.insert(spine_between(fabric, 0, to)); }
            CHECK(spines.size() == 4);
        }
    }
}

// Zahavi et al. 2010: in every shift of all ranks by k no two flows share a trunk.
TEST_CASE("in a fat tree's tables shifts of all ranks collide nowhere") {
    const Fabric fabric(tree(4, 4, GraphRouting::fat_tree));
    for (std::uint32_t shift = 1; shift < 16; ++shift) {
        std::map<LinkId, int> crossings;
        for (std::uint32_t from = 0; from < 16; ++from) {
            const Path path = fabric.path({.src = fabric.gpu(from), .dst = fabric.gpu((from + shift) % 16)});
            for (const LinkId link : path.span()) {
                if (fabric.link(link).cls == LinkClass::leaf_spine) { ++crossings[link]; }
            }
        }
        for (const auto& [link, times] : crossings) { CHECK(times == 1); }
    }
}

TEST_CASE("up-down takes the longer way where the shorter would turn up again") {
    // A ring of five switches with a node each: ways over the highest switch only go up, then down.
    Cluster ring = tree(5, 0, GraphRouting::up_down);
    for (int i = 0; i < 5; ++i) {
        ring.graph.cables.push_back(cable("leaf" + std::to_string(i), "leaf" + std::to_string((i + 1) % 5)));
    }
    const Fabric fabric(ring);
    const auto hops = [](const Fabric& of, std::uint32_t from, std::uint32_t to) {
        return of.path({.src = of.gpu(4 * from), .dst = of.gpu(4 * to)}).count;
    };
    ring.fabric.routing = GraphRouting::min_hop;
    const Fabric least(ring);
    CHECK(hops(fabric, 0, 1) == hops(least, 0, 1));
    CHECK(hops(fabric, 4, 0) == hops(least, 4, 0));
    std::size_t longer = 0;
    for (std::uint32_t a = 0; a < 5; ++a) {
        for (std::uint32_t b = 0; b < 5; ++b) {
            if (a == b) { continue; }
            CHECK(hops(fabric, a, b) >= hops(least, a, b));
            longer += hops(fabric, a, b) > hops(least, a, b) ? 1 : 0;
            // Never up after down: a later number is the upper end of a cable inside a tier.
            bool went_down = false;
            const Path path = fabric.path({.src = fabric.gpu(4 * a), .dst = fabric.gpu(4 * b)});
            for (const LinkId link : path.span()) {
                const LinkEnds ends = fabric.ends(link);
                if (fabric.kind(ends.from) != DeviceKind::fabric_switch ||
                    fabric.kind(ends.to) != DeviceKind::fabric_switch) {
                    continue;
                }
                const bool up = index(ends.from) < index(ends.to);
                CHECK(!(up && went_down));
                went_down = went_down || !up;
            }
        }
    }
    CHECK(longer > 0);
}

TEST_CASE("a graph that is no tree is refused as a fat tree, by its cable") {
    Cluster ring = tree(3, 2, GraphRouting::fat_tree);
    ring.graph.cables.push_back(cable("leaf0", "leaf1"));
    CHECK_THROWS_WITH(Fabric(ring), ContainsSubstring("the cable from leaf0 to leaf1 joins no two neighbouring ones"));
}
