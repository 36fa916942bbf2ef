#pragma once
// How many switches and cables a folded Clos network takes, by closed form:
//
//   ends on a leaf   at most the largest d with d + ceil(d / o) <= radix, o down : up
//   leaves           of each rail and plane L = ceil(its NICs / d), with k = ceil(its NICs / L) on each
//   cables up        of a leaf ceil(k / o), and in all no fewer than of L - 1 full leaves; above as many up as down
//   spines, cores    of switches that are wired together ceil(cables below / ports that look down)
//
// and each unit below has at least one cable to every switch above it, or a way up would not be a way down. So neither
// switches nor cables ever rise where the ratio rises or nodes fall. Cables are dealt out in turn: where their number
// is no multiple of the switches', some pairs have one more than others.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/cluster.hpp"

namespace fabricast {

// A leaf, or like switches that join the units below them (the spines of a pod, the cores).
struct ClosUnit {
    std::uint32_t parent = 0;        // unit of the next level
    std::uint32_t switches = 1;      // in it
    std::uint32_t first_switch = 0;  // of its level
    std::uint32_t up = 0;            // cables of all of them to the parent; 0 at the top
    std::uint32_t first_cable = 0;   // of its level
    std::uint32_t dealt = 0;         // cables to the parent of the units before it: its own c-th ends at switch
                                     // (dealt + c) % parent's switches
};

struct ClosLevel {
    std::vector<ClosUnit> units;
    std::uint32_t switches = 0;   // of all units
    std::uint32_t cables = 0;     // up
    std::uint32_t per_group = 1;  // units that may meet in one unit of the next level
};

struct ClosPlan {
    std::uint32_t planes = 1;  // cables of one NIC, each to a fabric of its own
    std::uint32_t rails = 1;   // leaves of a set and plane; 1 where NICs are dealt to leaves as they come
    std::uint32_t sets = 1;    // of leaves: scalable units
    std::uint32_t ends_per_leaf = 1;
    bool by_rail = false;           // leaf j of a set takes rail j
    std::vector<ClosLevel> levels;  // from the leaves to the top; units of leaves by plane, rail and set

    // What is not even between this level and the next, in words; empty where every unit has as many cables to every
    // switch above.
    std::string uneven(std::size_t level) const;
};

// Throws ClusterError where radix and tiers cannot join so many NICs.
ClosPlan plan_clos(const Cluster& cluster);

std::string_view clos_level_name(std::size_t level);

}  // namespace fabricast
