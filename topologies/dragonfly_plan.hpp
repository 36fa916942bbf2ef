#pragma once
// How many routers and cables a dragonfly takes. Groups are filled one after the other, so that the last may be
// smaller; what a group's routers have for other groups, ceil(NICs / o) cables a router (dragonfly) or a leaf
// (dragonfly+), is dealt out evenly among them: every two groups have as many cables, or one more.

#include <cstdint>
#include <vector>

#include "topologies/cluster.hpp"

namespace fabricast {

struct DragonflyPlan {
    bool plus = false;
    std::uint32_t groups = 1;
    std::uint32_t nodes_per_router = 1;
    std::uint32_t routers = 1, last_routers = 1;  // leaves of a dragonfly+; of a group, and of the last
    std::uint32_t spines = 0, last_spines = 0;    // dragonfly+: of a group
    std::uint32_t up = 0, last_up = 0;            // cables of a leaf, and of the last of all leaves
    std::vector<std::uint32_t> between;           // global cables of each two groups: group * groups + other

    std::uint32_t routers_of(std::uint32_t group) const { return group + 1 == groups ? last_routers : routers; }
    std::uint32_t spines_of(std::uint32_t group) const { return group + 1 == groups ? last_spines : spines; }
    std::uint32_t all_routers() const { return (groups - 1) * routers + last_routers; }
    std::uint32_t all_spines() const { return (groups - 1) * spines + last_spines; }
    std::uint32_t up_of(std::uint32_t leaf) const { return leaf + 1 == all_routers() ? last_up : up; }
    // All cables of leaves; those of leaf n begin at n * up.
    std::uint32_t all_up() const { return (all_routers() - 1) * up + last_up; }
    std::uint32_t cables(std::uint32_t group, std::uint32_t other) const { return between[group * groups + other]; }
};

// Shape: groups, routers (leaves) in a group, nodes at each. Without one it is balanced for the switch's radix: a
// dragonfly has a quarter of the ports for NICs and as many for global cables (a = 2p = 2h), a dragonfly+ divides a
// leaf's ports as a fat tree does. Throws ClusterError.
DragonflyPlan plan_dragonfly(const Cluster& cluster);

}  // namespace fabricast
