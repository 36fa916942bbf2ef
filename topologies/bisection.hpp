#pragma once
// How much the two halves of a cluster can say to each other.

#include <cstdint>

#include "topologies/fabric.hpp"

namespace fabricast {

// Bytes per second, one direction, that the first half of the nodes can send to the second: the maximum flow between
// their NICs over every link of the fabric (trunks at the share that the routing fills). Of a torus, across its longest
// dimension. Of one node, between the two halves of its GPUs.
double bisection_bandwidth(const Fabric& fabric);

// The same inside a node, between its GPUs [0, split) and the rest, over NVLink, PCIe and the CPU bus together.
double node_bisection_bandwidth(const Fabric& fabric, std::uint32_t split);

}  // namespace fabricast
