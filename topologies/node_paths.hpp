#pragma once
// Computes the path tables of a node graph whose devices and links are complete.

#include <cstdint>
#include <vector>

#include "topologies/cluster.hpp"
#include "topologies/local_paths.hpp"

namespace fabricast::inline topologies {

// The shared resources that a path crosses in addition to its cables, by device and by link: capacity that both
// directions share.
struct SharedResources {
    static constexpr std::uint16_t none = 0xffff;
    std::vector<std::uint16_t> of_device, of_link;
};

// Fills the graph's tables. Throws ClusterError if a GPU reaches no NIC.
void tabulate_paths(NodeGraph& graph, const NodeTemplate& node, SharedResources shared);

}  // namespace fabricast::inline topologies
