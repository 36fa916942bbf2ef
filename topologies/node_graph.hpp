#pragma once
// Builds the graph of a node template.

#include "topologies/cluster.hpp"
#include "topologies/local_paths.hpp"

namespace fabricast::inline topologies {

// Throws ClusterError for cables to unknown devices, duplicate names, devices of unknown kind, and a GPU that reaches
// no NIC.
NodeGraph make_node_graph(const NodeTemplate& node);

}  // namespace fabricast::inline topologies
