#pragma once
// A graph that draws its nodes too ("node0.gpu0", "node0.nic0", ...) instead of naming a template.

#include "topologies/cluster.hpp"

namespace fabricast {

// Takes the nodes out of the cluster's graph and makes the one template of them that a cluster has; what is left of the
// graph is the fabric between them. Throws ClusterError where nodes differ, or GPUs or NICs are not numbered from 0.
Cluster fold_drawn_nodes(Cluster cluster);

// Leaves out the template's NICs behind the last that a cable of the graph ends at: nothing may choose them.
Cluster without_loose_nics(Cluster cluster);

}  // namespace fabricast
