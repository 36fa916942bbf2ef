#pragma once
// From a node template to its graph.

#include "topologies/cluster.hpp"
#include "topologies/local_paths.hpp"

namespace fabricast {

// Throws ClusterError for cables to nowhere, doubled names, devices of unknown kind and a GPU cut off from its NICs.
NodeGraph make_node_graph(const NodeTemplate& node);

}  // namespace fabricast
