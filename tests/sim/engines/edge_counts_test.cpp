#include "sim/engines/common/edge_counts.hpp"

#include <map>

#include "tests/support/catch.hpp"
#include "tests/support/tiny_clusters.hpp"

using namespace fabricast;

namespace {

using Counts = std::map<std::pair<LinkId, bool>, double>;

template <class Counter> Counts counts(Counter&& counter, const EdgeSet& edges, const Fabric& fabric) {
    Counts result;
    counter(edges, fabric, [&](std::span<const LinkId> links, double times, bool network) {
        for (const LinkId link : links) { result[{link, network}] += times; }
    });
    return result;
}

// Without detours.
void visit_each(const EdgeSet& edges, const Fabric& fabric, const CountCrossings& count) {
    count_each_edge(edges, fabric, count);
}

}  // namespace

TEST_CASE("all pairs taken apart cross every link as often as pair by pair") {
    for (const FabricKind kind :
         {FabricKind::single_switch, FabricKind::fat_tree, FabricKind::rail_optimized, FabricKind::dual_plane}) {
        for (const PathChoice choice : {PathChoice::adaptive, PathChoice::ecmp}) {
            FabricSpec spec = tiny::fabric(kind, kind == FabricKind::single_switch ? 64 : 8);
            spec.choice = choice;
            Cluster cluster = tiny::cluster(12, 4, spec);
            cluster.node.gpu_direct = kind != FabricKind::fat_tree;
            const Fabric fabric(cluster);
            for (const bool pxn : {true, false}) {
                for (const bool direct : {true, false}) {
                    // Whole nodes, and a range that begins and ends inside a node.
                    for (const auto& [first, ranks] : {std::pair{0U, 48U}, {3U, 31U}, {5U, 2U}}) {
                        const EdgeSet edges = AllPairs{first, ranks, pxn, direct, 4};
                        INFO(to_string(kind)
                             << (choice == PathChoice::ecmp ? " ecmp" : " adaptive") << (pxn ? " pxn" : "")
                             << (direct ? " direct" : " staged") << " from " << first);
                        CHECK(counts(count_edges, edges, fabric) == counts(visit_each, edges, fabric));
                    }
                }
            }
        }
    }
}
