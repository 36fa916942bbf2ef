#pragma once
// Where the groups of a training step lie, and the edges of a call on all of them.

#include "sim/plan/collectives/group_plans.hpp"
#include "sim/plan/training/layout.hpp"

namespace fabricast::inline training {

// Which edges of an exchange between two ranks are used: both, those from the first rank to the second, or those back.
enum class GroupDirection : std::uint8_t { both, onward, back };

struct SpreadGroups {
    GroupShape shape;  // that the groups' calls are planned with
    bool even = true;  // false: some nodes have more of a group's GPUs than others
};
// For uneven groups per_node is that of the node with the fewest GPUs, which limits the channels of all (NCCL takes the
// smallest number that any rank found, init.cc, initTransportsRank); with `all_pairs` only the number of ranks matters.
SpreadGroups spread_of(const Groups& groups, std::uint32_t gpus_per_node, bool all_pairs);

// Maps the cluster of one group to the real one: its ranks are those of the group that is set, its nodes those that the
// group uses. In an uneven group some of a node's members represent all of them, or one rank represents several.
struct GroupsMapping {
    GroupMapping map;
    Groups groups;
    bool even = true;

    void set(std::uint32_t group);
    // The real hop that represents this one: on the first node of the first group where its ends are two different
    // devices.
    PathQuery hop(const PathQuery& planned);
};

// The edges of every group, as `one` has those of one group.
EdgeSet edges_of_all(const GroupsMapping& mapping, const EdgeSet& one, GroupDirection direction);

}  // namespace fabricast::inline training
