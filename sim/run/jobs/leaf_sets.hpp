#pragma once
// Which nodes of a fabric are alike to a job, how far apart they are, and placements by rule: packed and interleaved.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "topologies/fabric.hpp"

namespace fabricast::inline jobs {

using Nodes = std::vector<std::uint32_t>;
using Sequence = std::vector<std::uint32_t>;  // the set of leaves of each node, in the order of ranks

// Nodes whose adapters end at the same switches stand on one set of leaves.
struct LeafSets {
    std::vector<std::uint32_t> of_node;
    std::vector<Nodes> nodes;                            // of each set, those that may be taken
    std::vector<std::vector<std::uint32_t>> distance{};  // links between nodes of two sets
};

// Throws Unreachable.
LeafSets leaf_sets(const Fabric& fabric, const Nodes& among);

// Set by set, each time the nearest to those taken: of equal ones the set with the most free nodes, or, if the rest
// fits, the one with the fewest that do. `free` are the nodes of each set that may be taken, at least `count` in all.
Sequence packed(const LeafSets& sets, std::vector<std::size_t> free, std::size_t count, std::uint32_t from);

// Each node as far from the one before it as there are.
Sequence interleaved(const LeafSets& sets, std::vector<std::size_t> free, std::size_t count, std::uint32_t from);

}  // namespace fabricast::inline jobs
