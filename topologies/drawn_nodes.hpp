#pragma once
// Explicit graphs that list the devices inside nodes too ("node0.gpu0", "node0.nic0"), without a node template.

#include "topologies/cluster.hpp"

namespace fabricast::inline topologies {

// Removes the nodes from the cluster's graph and makes the cluster's node template from them; the rest of the graph is
// the fabric between the nodes. Throws ClusterError if nodes differ, or their GPUs or NICs are not numbered 0, 1, ...
Cluster fold_drawn_nodes(Cluster cluster);

// Replaces a cable whose end is "node0-31.nic1" by one for each of these nodes. Throws ClusterError if it is none.
void expand_node_ranges(std::vector<NodeCable>& cables);

// Removes the template's NICs after the last one that has a cable in the graph, so that no path uses them.
Cluster without_loose_nics(Cluster cluster);

}  // namespace fabricast::inline topologies
