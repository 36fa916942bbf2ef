#pragma once
// The graph of a node template, with its tables of paths.

#include "topologies/node_graph.hpp"

namespace fabricast::inline topologies {

// Throws ClusterError as make_node_graph() does, and if a GPU reaches no NIC.
NodeGraph node_graph_with_paths(const NodeTemplate& node);

}  // namespace fabricast::inline topologies
