#pragma once
// The path tables of a node graph whose devices and links stand.

#include <cstdint>
#include <vector>

#include "topologies/cluster.hpp"
#include "topologies/local_paths.hpp"

namespace fabricast {

// What a path crosses beside its cables, by device and by link: the services that both directions share.
struct SharedResources {
    static constexpr std::uint16_t none = 0xffff;
    std::vector<std::uint16_t> of_device, of_link;
};

// Fills the graph's tables. Throws ClusterError where a GPU reaches no NIC.
void tabulate_paths(NodeGraph& graph, const NodeTemplate& node, SharedResources shared);

}  // namespace fabricast
