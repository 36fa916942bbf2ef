#pragma once
// Exports the cluster for other programs: Graphviz, GraphML, and a SimGrid platform.

#include <string>

#include "topologies/fabric.hpp"

namespace fabricast::inline topologies {

// One edge per link, for both directions together; nodes are Graphviz clusters.
std::string to_dot(const Fabric& fabric);

// One edge per direction, with capacity (bytes per second), latency (seconds), class and number of cables; shared
// resources are edges of class "shared".
std::string to_graphml(const Fabric& fabric);

// For SimGrid 3.3x and 4.x: a host for each GPU, a link for each direction and each shared resource, and for each
// ordered pair of GPUs the route of Fabric::path (flow label 0). Hosts compute at the GPU's FP32 peak. Throws
// ClusterError above 2,048 GPUs, because there is a route for each pair.
std::string to_simgrid(const Fabric& fabric);

}  // namespace fabricast::inline topologies
