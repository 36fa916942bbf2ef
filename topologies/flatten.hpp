#pragma once
// The cluster written out link by link, for exports and for tests that hold the arithmetic against it. Costs memory per
// link: meant for what a person looks at, not for a hundred thousand nodes.

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
    std::vector<FlatLink> links;  // by id; shared resources among them
};

FlatGraph flatten(const Fabric& fabric);

// Links of the shortest way from one device to another over links of some classes, or nothing where none leads there.
// NICs and GPUs do not forward. The slow twin of Fabric::path.
std::vector<LinkId> shortest_path(const FlatGraph& graph, const Fabric& fabric, DeviceId from, DeviceId to,
                                  const std::vector<LinkClass>& over);

}  // namespace fabricast
