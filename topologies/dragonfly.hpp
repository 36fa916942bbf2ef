#pragma once
// Dragonfly (Kim, Dally, Scott, Abts, ISCA 2008) and dragonfly+ (Shpiner et al., HiPINEB 2017). Routers stand in
// groups; every two groups are joined by the same number of global cables. Inside a group routers are fully joined
// (dragonfly), or leaves meet in spines, which own the global cables (dragonfly+).
//
// Routes are minimal: to the group's gateway, over one global cable, to the router. Adaptive routing sprays over all
// cables of a kind: a router's local cables are one link to and one from its group, and the cables between two groups
// one link. That is also what non-minimal detours inside a group amount to.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "topologies/cluster.hpp"
#include "topologies/switching.hpp"

namespace fabricast {

class Dragonfly {
public:
    // Shape: groups, routers (leaves) in a group, nodes at each. Without one it is balanced for the switch's radix:
    // a quarter of the ports for NICs and as many for global cables (a = 2p = 2h). Throws ClusterError.
    explicit Dragonfly(const Cluster& cluster);

    std::uint32_t switch_count() const;
    std::uint32_t trunk_count() const { return first_global_ + groups_ * (groups_ - 1) * (bundled_ ? 1 : global_); }
    std::uint32_t planes() const { return 1; }
    std::uint32_t switch_of(FabricEnd end, std::uint32_t) const { return end.node / nodes_per_router_; }
    Trunk trunk(std::uint32_t index) const;
    std::string switch_name(std::uint32_t index) const;
    std::optional<std::uint32_t> find_switch(std::string_view name) const;
    bool route(FabricEnd from, FabricEnd to, std::uint32_t plane, std::uint64_t flow_hash, TrunkRoute& route) const;
    std::uint32_t longest_route() const { return 3; }
    std::vector<FabricTier> tiers() const;
    bool hashes() const { return !bundled_; }

    std::uint32_t groups() const { return groups_; }
    std::uint32_t routers_per_group() const { return routers_; }
    std::uint32_t spines_per_group() const { return spines_; }  // 0 in a dragonfly
    std::uint32_t cables_between_groups() const { return global_; }
    std::uint32_t cables_up() const { return up_; }  // of a dragonfly+ leaf

private:
    void plan_dragonfly(std::uint32_t ports_down);
    void plan_plus();
    std::uint32_t local_links() const;
    std::uint32_t local_link(std::uint32_t from, std::uint32_t to) const;
    // Group `other` as `group` counts them, itself left out.
    static std::uint32_t order(std::uint32_t group, std::uint32_t other) { return other < group ? other : other - 1; }
    // Which router (spine) of `group` holds cable k to `other`: cables are dealt out in turn.
    std::uint32_t gateway(std::uint32_t group, std::uint32_t other, std::uint32_t k) const;
    std::uint32_t global_link(std::uint32_t group, std::uint32_t other, std::uint32_t k) const;
    void climb(std::uint32_t leaf, std::uint32_t spine, bool down, std::uint64_t flow_hash, TrunkRoute& route) const;
    Trunk local_trunk(std::uint32_t index) const;

    bool plus_ = false, bundled_ = true;
    std::uint32_t radix_ = 0;
    double oversubscription_ = 1, utilisation_ = 1;
    std::uint32_t groups_ = 1, routers_ = 1, nodes_per_router_ = 1;
    std::uint32_t spines_ = 0, up_ = 0;  // dragonfly+: in a group; cables of a leaf
    std::uint32_t global_ = 0;           // cables between two groups
    std::uint32_t first_global_ = 0;
    LinkInfo cable_;
};

}  // namespace fabricast
