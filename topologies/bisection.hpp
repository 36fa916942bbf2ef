#pragma once
// The bandwidth between two halves of a cluster.

#include "topologies/fabric.hpp"

namespace fabricast::inline topologies {

// Bytes per second, one direction, that the first half of the nodes can send to the second: the maximum flow between
// their NICs over all links of the fabric (trunks at the share that the routing can fill). For a torus: across the
// middle of its longest dimension. For a single node: between the two halves of its GPUs.
double bisection_bandwidth(const Fabric& fabric);

}  // namespace fabricast::inline topologies
