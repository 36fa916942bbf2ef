#pragma once
// The number of routers and cables of a dragonfly. Groups are filled one after the other, so the last one may be
// smaller. A group of few routers has several cables between each two of them: what its NICs send, divided by the
// oversubscription, can cross the group, as it can in a large group with one. Each router (dragonfly) or leaf
// (dragonfly+) adds ceil(NICs / oversubscription) global cables to its group, which are spread evenly over the other
// groups: pairs of full groups differ by at most one cable; a pair with a smaller last group may have fewer.

#include <cstdint>
#include <vector>

#include "topologies/cluster.hpp"

namespace fabricast::inline topologies {

struct DragonflyPlan {
    bool plus = false;
    std::uint32_t groups = 1;
    std::uint32_t nodes_per_router = 1;
    std::uint32_t routers = 1, last_routers = 1;  // per group, and in the last group; dragonfly+: leaves
    std::uint32_t local = 0, last_local = 0;    // dragonfly: cables of a router to others of its group, and in the last
    std::uint32_t spines = 0, last_spines = 0;  // dragonfly+: per group, and in the last
    std::uint32_t up = 0, last_up = 0;          // cables up from a leaf, and from the last leaf of all
    std::vector<std::uint32_t> between;         // global cables of each pair of groups: group * groups + other

    std::uint32_t routers_of(std::uint32_t group) const { return group + 1 == groups ? last_routers : routers; }
    std::uint32_t local_of(std::uint32_t group) const { return group + 1 == groups ? last_local : local; }
    // Those to the routers less than `distance` places further on in the group, counted round it. Each router has as
    // many cables as the others, and to each of them the same number or one more: the nearest on both sides have one
    // more, and for an odd rest the one opposite.
    std::uint32_t local_before(std::uint32_t group, std::uint32_t distance) const;
    std::uint32_t spines_of(std::uint32_t group) const { return group + 1 == groups ? last_spines : spines; }
    std::uint32_t all_routers() const { return (groups - 1) * routers + last_routers; }
    std::uint32_t all_spines() const { return (groups - 1) * spines + last_spines; }
    std::uint32_t up_of(std::uint32_t leaf) const { return leaf + 1 == all_routers() ? last_up : up; }
    // Cables up from all leaves; those of leaf n begin at n * up.
    std::uint32_t all_up() const { return (all_routers() - 1) * up + last_up; }
    std::uint32_t cables(std::uint32_t group, std::uint32_t other) const { return between[group * groups + other]; }
};

// The cluster's shape is: groups, routers (leaves) per group, nodes per router. Without a shape it is balanced for the
// switch's radix: a dragonfly uses a quarter of the ports for NICs and as many for global cables (a = 2p = 2h), a
// dragonfly+ divides a leaf's ports like a fat tree. Throws ClusterError.
DragonflyPlan plan_dragonfly(const Cluster& cluster);

}  // namespace fabricast::inline topologies
