#pragma once
// The bandwidth between two halves of a cluster.

#include <cstdint>

#include "topologies/fabric.hpp"

namespace fabricast {

// Bytes per second, one direction, that the first half of the nodes can send to the second: the maximum flow between
// their NICs over all links of the fabric (trunks at the share that the routing can fill). For a torus: across the
// middle of its longest dimension. For a single node: between the two halves of its GPUs.
double bisection_bandwidth(const Fabric& fabric);

// The same inside a node, from its GPUs [0, split) to the others, over NVLink, PCIe and the CPU bus together.
double node_bisection_bandwidth(const Fabric& fabric, std::uint32_t split);

}  // namespace fabricast
