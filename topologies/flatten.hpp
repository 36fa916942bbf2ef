#pragma once
// Lists all links of the cluster, for exports and for tests that compare the arithmetic of Fabric with it. Needs memory
// for each link: not meant for a hundred thousand nodes.

#include <cstdint>
#include <vector>

#include "topologies/fabric.hpp"

namespace fabricast {

struct FlatLink {
    LinkId id{};
    LinkEnds ends;
    LinkInfo info;
};

struct FlatGraph {
    std::uint32_t devices = 0;    // DeviceId 0 .. devices - 1
    std::vector<FlatLink> links;  // by id; includes shared resources
};

FlatGraph flatten(const Fabric& fabric);

// Links of the shortest path between two devices over links of the classes `over`; empty if there is none. GPUs, NICs
// and host memory do not forward. The slow reference for Fabric::path.
std::vector<LinkId> shortest_path(const FlatGraph& graph, const Fabric& fabric, DeviceId from, DeviceId to,
                                  const std::vector<LinkClass>& over);

}  // namespace fabricast
