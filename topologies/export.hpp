#pragma once
// The cluster as other programs read it: Graphviz, GraphML, and a SimGrid platform.

#include <string>

#include "topologies/fabric.hpp"

namespace fabricast {

// One line per cable (its two directions are alike), nodes as clusters.
std::string to_dot(const Fabric& fabric);

// One edge per direction with capacity (bytes per second), latency (seconds), class and cables; shared resources as
// edges of their own class.
std::string to_graphml(const Fabric& fabric);

// SimGrid 3.3x and 4.x: a host for each GPU, a link for each direction and shared resource, and for each ordered pair
// of GPUs the route that Fabric::path takes (flow label 0). Hosts compute at the GPU's FP32 peak. Throws ClusterError
// above 2,048 GPUs: routes are written out pair by pair.
std::string to_simgrid(const Fabric& fabric);

}  // namespace fabricast
