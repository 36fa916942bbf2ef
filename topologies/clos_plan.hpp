#pragma once
// The number of switches and cables of a folded Clos network, in closed form:
//
//   NICs on a leaf   at most the largest d with d + ceil(d / o) <= radix; o is the oversubscription, down : up
//   leaves           L = ceil(n / d) for the n NICs of each rail and plane, with k = ceil(n / L) NICs on each
//   cables up        ceil(k / o) of each leaf, and of all leaves together no fewer than of L - 1 full leaves;
//                    switches above have as many up as down
//   trunks           of another rate than the link: as many as carry that bandwidth, each on its share of a port or on
//                    several (trunk_ports.hpp)
//   spines, cores    ceil(cables from below / ports that face down) in each set of switches that are wired together
//
// In addition each unit has at least one cable to every switch above it; otherwise a switch on the way up might have no
// way down to the destination. The numbers of switches and cables never rise if o rises or the number of nodes falls.
// Cables are dealt to the switches above in turn: if their number is not a multiple of the number of switches, some
// pairs have one cable more than others.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/cluster.hpp"

namespace fabricast::inline topologies {

// `count` things in contiguous blocks, as even as possible: the first blocks may have one more.
struct EvenBlocks {
    std::uint32_t each, larger;  // things of a block; blocks that have one more

    EvenBlocks(std::uint32_t count, std::uint32_t blocks) : each(count / blocks), larger(count % blocks) {}
    std::uint32_t first(std::uint32_t block) const { return block * each + std::min(block, larger); }
    std::uint32_t size(std::uint32_t block) const { return each + (block < larger ? 1 : 0); }
    std::uint32_t block_of(std::uint32_t thing) const {
        const std::uint32_t in_larger = larger * (each + 1);
        return thing < in_larger ? thing / (each + 1) : larger + (thing - in_larger) / each;
    }
};

// A leaf, or a set of equivalent switches that connect the same units below them (the spines of a pod, the cores).
struct ClosUnit {
    std::uint32_t parent = 0;        // index of a unit of the next level
    std::uint32_t switches = 1;      // switches in this unit
    std::uint32_t first_switch = 0;  // number of its first switch within the level
    std::uint32_t up = 0;            // cables of all its switches to the parent; 0 at the top
    std::uint32_t first_cable = 0;   // number of its first cable within the level
    std::uint32_t dealt = 0;         // cables from earlier units to the same parent: this unit's c-th cable ends at the
                                     // parent's switch (dealt + c) % switches
    EvenBlocks cables_of_switches() const { return {up, switches}; }
};

struct ClosLevel {
    std::vector<ClosUnit> units;
    std::uint32_t switches = 0;   // all units together
    std::uint32_t cables = 0;     // to the next level, all units together
    std::uint32_t per_group = 1;  // consecutive units that share the parents of the next level
};

struct ClosPlan {
    std::uint32_t planes = 1;  // cables of one NIC, each to a fabric of its own
    std::uint32_t rails = 1;   // leaves of a set in one plane; 1 if NICs fill the leaves in order
    std::uint32_t sets = 1;    // sets of leaves (scalable units)
    std::uint32_t ends_per_leaf = 1;
    bool by_rail = false;           // leaf j of a set serves rail j
    std::vector<ClosLevel> levels;  // from the leaves to the top; leaves in order of plane, rail, set

    // In words, if the cables to the next level are uneven; empty if every unit has as many to every switch above.
    std::string uneven(std::size_t level) const;
};

// Cables of NICs that a port at the link's rate serves: several where each runs at a plane's share of the rate.
std::uint32_t plane_cables_of_port(const FabricSpec& fabric);

// Throws ClusterError if the radix and tiers cannot connect all NICs.
ClosPlan plan_clos(const Cluster& cluster);

std::string_view clos_level_name(std::size_t level);

}  // namespace fabricast::inline topologies
