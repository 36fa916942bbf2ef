#pragma once
// Dragonfly (Kim, Dally, Scott, Abts, ISCA 2008) and dragonfly+ (Shpiner et al., HiPINEB 2017). Routers form groups,
// and global cables join every two groups, spread evenly over the pairs. Inside a group all routers are joined to each
// other (dragonfly), or leaves are joined by spines, which have the global cables (dragonfly+).
//
// Routes are minimal: to the group's gateway, over one global cable, to the destination's router. Adaptive routing
// sprays over all cables of a kind, so a router's local cables are one link to its group and one from it, and the
// cables between two groups are one link per direction. Non-minimal routes inside a group have the same effect.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/cluster.hpp"
#include "topologies/dragonfly_plan.hpp"
#include "topologies/fabric_generator.hpp"

namespace fabricast::inline topologies {

class Dragonfly : public FabricGenerator {
public:
    explicit Dragonfly(const Cluster& cluster);  // throws ClusterError

    std::uint32_t switch_count() const override { return routers() + (bundled_ ? plan_.groups : plan_.all_spines()); }
    std::uint32_t trunk_count() const override;
    std::uint32_t switch_of(FabricEnd end, std::uint32_t) const override { return end.node / plan_.nodes_per_router; }
    Trunk trunk(std::uint32_t index) const override;
    std::string switch_name(std::uint32_t index) const override;
    std::optional<std::uint32_t> find_switch(std::string_view name) const override;
    bool route(FabricEnd from, FabricEnd to, std::uint32_t plane, std::uint64_t flow_hash,
               TrunkRoute& route) const override;
    std::uint32_t longest_route() const override { return 3; }
    std::vector<FabricTier> tiers() const override;
    bool hashes() const override { return !bundled_; }

    // Physical switches: routers (leaves), then the spines of a dragonfly+. Adaptive routing draws a group's as one.
    std::uint32_t bought_switches() const override { return routers() + plan_.all_spines(); }
    std::string bought_name(std::uint32_t bought) const override;
    std::optional<std::uint32_t> find_bought(std::string_view name) const override;
    std::uint32_t drawn_as(std::uint32_t bought) const override;
    // The physical switches at both ends of a trunk's cable.
    std::array<std::uint32_t, 2> cable_ends(std::uint32_t trunk, std::uint32_t cable) const override;
    std::string uneven(
        std::size_t tier) const override;  // see ClosPlan::uneven; about global cables, so only for tier 1

    const DragonflyPlan& plan() const { return plan_; }

private:
    std::uint32_t routers() const { return plan_.all_routers(); }
    std::uint32_t local_links() const;
    std::uint32_t local_link(std::uint32_t from, std::uint32_t to, std::uint64_t flow_hash) const;
    // The index of `other` among all groups except `group`.
    static std::uint32_t order(std::uint32_t group, std::uint32_t other) { return other < group ? other : other - 1; }
    std::uint32_t cables_before(std::uint32_t group, std::uint32_t other) const {
        return before_[group * plan_.groups + other];
    }
    // The physical router (dragonfly+: spine) of `group` at cable k to `other`. They are dealt to the routers in turn.
    std::uint32_t gateway(std::uint32_t group, std::uint32_t other, std::uint32_t k) const;
    std::uint32_t global_link(std::uint32_t group, std::uint32_t other, std::uint32_t k) const;
    std::array<std::uint32_t, 3> global_at(std::uint32_t index) const;
    std::uint32_t spine_of(std::uint32_t leaf, std::uint32_t cable) const;
    void climb(std::uint32_t leaf, std::uint32_t spine, bool down, std::uint64_t flow_hash, TrunkRoute& route) const;

    bool bundled_ = true;
    double utilisation_ = 1;
    DragonflyPlan plan_;
    // Number of global cables from a group to the groups before `other`; from all groups before a group.
    std::vector<std::uint32_t> before_, first_of_group_;
    std::uint32_t first_global_ = 0;
    LinkInfo cable_;
};

}  // namespace fabricast::inline topologies
