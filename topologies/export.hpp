#pragma once
// Exports the cluster for other programs: Graphviz, GraphML, SimGrid, and what `topo` counts as JSON, in SI units.

#include <compare>
#include <cstdint>
#include <map>
#include <string>

#include "base/json.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline topologies {

// One edge per link, for both directions together; nodes are Graphviz clusters.
std::string to_dot(const Fabric& fabric);

// One edge per direction, with capacity (bytes per second), latency (seconds), class ("shared": no cable) and cables.
std::string to_graphml(const Fabric& fabric);

// For SimGrid 3.3x and 4.x: a host for each GPU, a link for each direction and each shared resource, and for each
// ordered pair of GPUs the route of Fabric::path (flow label 0). Hosts compute at the GPU's FP32 peak. Throws
// ClusterError above 2,048 GPUs, because there is a route for each pair.
std::string to_simgrid(const Fabric& fabric);

// Links with the same class, capacity and latency are one kind.
struct LinkKind {
    LinkClass cls;
    double capacity;
    Duration latency;
    bool resource;
    auto operator<=>(const LinkKind&) const = default;
};
std::map<LinkKind, std::uint64_t> count_links(const Fabric& fabric);

// The way between two devices; a port stands for its switch, whose ports are all one to a path. Throws ClusterError.
Path path_between(const Fabric& fabric, const std::string& from, const std::string& to,
                  PathKind kind = PathKind::automatic);

// "16 x dgx-h100", or each kind of node: "8 x dgx-h100 + 4 x dgx-a100".
std::string node_words(const Fabric& fabric);

Json fabric_json(const Fabric& fabric);
Json path_json(const Fabric& fabric, const std::string& from, const std::string& to,
               PathKind kind = PathKind::automatic);

}  // namespace fabricast::inline topologies
