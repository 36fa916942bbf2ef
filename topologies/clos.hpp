#pragma once
// Folded Clos networks: single switch, fat trees of two to four tiers, rail-optimised, rail-only and dual-plane. They
// differ only in which leaf a NIC's cable goes to and in which groups of leaves meet below the top.
//
// A unit of level 1 is a leaf; a unit of level t + 1 is a set of like switches joining `fan` units of level t (the
// spines of a pod, the cores). Every switch of a unit reaches every child unit. Counts follow facts of reference
// architectures: the fewest switches that divide the cables below them evenly.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/cluster.hpp"
#include "topologies/switching.hpp"

namespace fabricast {

// Between the units of one level and their parents.
struct ClosLevel {
    std::uint32_t units = 1;
    std::uint32_t per_group = 1;  // units of one group; groups do not meet at the next level
    std::uint32_t fan = 1;        // child units of a parent
    std::uint32_t parents_per_group = 1;
    std::uint32_t switches = 1;  // like switches in a unit
    std::uint32_t up = 0;        // cables from each of them to the parent unit; 0 at the top
    // Switch e of a unit reaches the parent's switches [(e % classes) * per_class, +per_class).
    std::uint32_t classes = 1;
    std::uint32_t per_class = 1;

    std::uint32_t first_switch = 0;  // numbering
    std::uint32_t first_trunk = 0;   // up-trunks, then as many down-trunks

    std::uint32_t parent(std::uint32_t unit) const {
        return unit / per_group * parents_per_group + unit % per_group / fan;
    }
};

class Clos {
public:
    // Throws ClusterError where radix and tiers cannot join so many NICs.
    explicit Clos(const Cluster& cluster);

    std::uint32_t switch_count() const { return switches_; }
    std::uint32_t trunk_count() const { return trunks_; }
    std::uint32_t planes() const { return planes_; }  // cables of one NIC, each to a fabric of its own
    std::uint32_t switch_of(FabricEnd end, std::uint32_t plane) const { return leaf(end, plane); }
    Trunk trunk(std::uint32_t index) const;
    std::string switch_name(std::uint32_t index) const;
    std::optional<std::uint32_t> find_switch(std::string_view name) const;
    // False where no switch joins the two rails (rail-only).
    bool route(FabricEnd from, FabricEnd to, std::uint32_t plane, std::uint64_t flow_hash, TrunkRoute& route) const;
    std::uint32_t longest_route() const { return static_cast<std::uint32_t>(2 * (levels_.size() - 1)); }
    bool hashes() const { return !bundled_ || planes_ > 1; }
    std::vector<FabricTier> tiers() const;

    const std::vector<ClosLevel>& levels() const { return levels_; }  // from the leaves to the top

private:
    std::uint32_t leaf(FabricEnd end, std::uint32_t plane) const;
    void plan_leaves(const Cluster& cluster);
    void plan_unit(const FabricSpec& fabric, std::uint32_t most_ends, std::uint32_t ports);
    void plan_levels(const FabricSpec& fabric);
    static std::uint32_t stated_spines(const FabricSpec& fabric, const ClosLevel& level);
    void number();
    std::uint32_t switches_in(const ClosLevel& level) const { return bundled_ ? 1 : level.switches; }
    std::uint32_t trunks_in(const ClosLevel& level) const {
        return bundled_ ? level.units : level.units * level.switches * level.up;
    }
    std::uint32_t upward(const ClosLevel& level, std::uint32_t unit, std::uint32_t sw, std::uint32_t port) const {
        return level.first_trunk + (bundled_ ? unit : (unit * level.switches + sw) * level.up + port);
    }

    bool bundled_ = true;   // adaptive routing: the trunks from a unit to its parent are one link
    bool by_rail_ = false;  // leaf j of a set takes rail j
    bool rail_only_ = false;
    bool same_hash_ = false;  // switches hash alike
    std::uint32_t planes_ = 1, rails_ = 1, nics_ = 1,
                  sets_ = 1;  // sets: scalable units, each one leaf a rail (and plane)
    std::uint32_t ends_per_leaf_ = 1;
    std::uint32_t leaf_up_ = 0;
    std::uint32_t radix_ = 0;
    LinkInfo cable_;  // one trunk cable
    double utilisation_ = 1;
    std::vector<ClosLevel> levels_;
    std::uint32_t switches_ = 0, trunks_ = 0;
};

}  // namespace fabricast
