// Dragonfly (Kim, Dally, Scott, Abts, ISCA 2008) and dragonfly+ (Shpiner et al., HiPINEB 2017). Routers form groups,
// and global cables join every two groups, spread evenly over the pairs. Inside a group all routers are joined to each
// other (dragonfly), or leaves are joined by spines, which have the global cables (dragonfly+).
//
// Routes are minimal: to the group's gateway, over one global cable, to the destination's router. Adaptive routing
// sprays over all cables of a kind, so a router's local cables are one link to its group and one from it, and the
// cables between two groups are one link per direction. Non-minimal routes inside a group have the same effect.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "topologies/cluster.hpp"
#include "topologies/dragonfly_plan.hpp"
#include "topologies/fabric_generator.hpp"

namespace fabricast::inline topologies {

namespace {

class Dragonfly : public FabricGenerator {
public:
    explicit Dragonfly(const Cluster& cluster)
        : bundled_(cluster.fabric.choice == PathChoice::adaptive),
          utilisation_(cluster.fabric.trunk_utilisation),
          plan_(plan_dragonfly(cluster)),
          cable_(trunk_cable(cluster.fabric, LinkClass::leaf_spine)) {
        first_of_group_.push_back(0);
        for (std::uint32_t group = 0; group < plan_.groups; ++group) {
            std::uint32_t cables = 0;
            for (std::uint32_t other = 0; other < plan_.groups; ++other) {
                before_.push_back(cables);
                cables += plan_.groups > 1 ? plan_.cables(group, other) : 0;
            }
            first_of_group_.push_back(first_of_group_.back() + cables);
        }
        first_global_ = !bundled_ ? local_links() : routers() > 1 ? 2 * routers() : 0;
    }

    std::uint32_t switch_count() const override { return routers() + (bundled_ ? plan_.groups : plan_.all_spines()); }
    std::uint32_t trunk_count() const override {
        return first_global_ + (bundled_ ? plan_.groups * (plan_.groups - 1) : first_of_group_.back());
    }
    std::uint32_t switch_of(FabricEnd end, std::uint32_t) const override { return end.node / plan_.nodes_per_router; }
    // Switches: all routers (leaves); then, with adaptive routing, a device per group for its mesh or spines, else
    // spines.
    Trunk trunk(std::uint32_t index) const override {
        Trunk trunk{.from = 0, .to = 0, .cables = 1, .info = cable_};
        trunk.info.cls = index < first_global_ ? cable_.cls : LinkClass::global;
        if (!bundled_) {
            const auto ends = cable_ends(index, 0);
            trunk.from = ends[0];
            trunk.to = ends[1];
            return trunk;
        }
        if (index < first_global_) {
            trunk.from = index % routers();
            const std::uint32_t group = trunk.from / plan_.routers;
            const std::uint32_t alone = plan_.groups > 1 ? first_of_group_[group + 1] - first_of_group_[group] : 1;
            trunk.to = routers() + group;
            // If a router is alone in its group, the link has the capacity of the group's global cables.
            trunk.cables = plan_.plus                    ? std::max(plan_.up_of(trunk.from), 1U)
                           : plan_.routers_of(group) > 1 ? plan_.local_of(group)
                                                         : alone;
            if (index >= routers()) { std::swap(trunk.from, trunk.to); }
        } else {
            const auto [group, other, k] = global_at(index);
            trunk.from = routers() + group;
            trunk.to = routers() + other;
            trunk.cables = plan_.cables(group, other);
        }
        trunk.info.capacity *= trunk.cables * utilisation_;
        return trunk;
    }
    std::string switch_name(std::uint32_t index) const override {
        return bundled_ && index >= routers() ? "group" + std::to_string(index - routers()) : bought_name(index);
    }
    std::optional<std::uint32_t> find_switch(std::string_view name) const override {
        if (const auto group = number_after(name, "group"); bundled_ && group && *group < plan_.groups) {
            return routers() + *group;
        }
        const auto bought = find_bought(name);
        return bought ? std::optional(drawn_as(*bought)) : std::nullopt;
    }
    bool route(FabricEnd from, FabricEnd to, std::uint32_t, std::uint64_t flow_hash, TrunkRoute& route) const override {
        const std::uint32_t a = switch_of(from, 0);
        const std::uint32_t b = switch_of(to, 0);
        const std::uint32_t group_a = a / plan_.routers;
        const std::uint32_t group_b = b / plan_.routers;
        if (a == b) { return true; }
        if (bundled_) {
            route.add(a, cable_.latency);
            if (group_a != group_b) { route.add(global_link(group_a, group_b, 0), cable_.latency); }
            route.add(routers() + b, cable_.latency);
            return true;
        }
        // The physical switches at which the route leaves the first group and enters the last one.
        std::uint32_t out =
            plan_.plus ? routers() + group_a * plan_.spines + pick(flow_hash, ~group_a, plan_.spines_of(group_a)) : b;
        std::uint32_t in = out;
        std::uint32_t k = 0;
        if (group_a != group_b) {
            k = pick(flow_hash, group_a * plan_.groups + group_b, plan_.cables(group_a, group_b));
            out = gateway(group_a, group_b, k);
            in = gateway(group_b, group_a, k);
        }
        if (plan_.plus) {
            climb(a, out - routers() - group_a * plan_.spines, false, flow_hash, route);
        } else if (a != out) {
            route.add(local_link(a, out, flow_hash), cable_.latency);
        }
        if (group_a != group_b) { route.add(global_link(group_a, group_b, k), cable_.latency); }
        if (plan_.plus) {
            climb(b, in - routers() - group_b * plan_.spines, true, flow_hash, route);
        } else if (in != b) {
            route.add(local_link(in, b, flow_hash), cable_.latency);
        }
        return true;
    }
    std::uint32_t longest_route() const override { return 3; }
    std::vector<FabricTier> tiers() const override {
        const std::uint64_t global = first_of_group_.back() / 2;
        if (plan_.plus) { return {{"leaf", routers(), plan_.all_up()}, {"spine", plan_.all_spines(), global}}; }
        return {{"router", routers(), local_links() / 2}, {"group", 0, global}};
    }
    bool hashes() const override { return !bundled_; }

    // Physical switches: routers (leaves), then the spines of a dragonfly+. Adaptive routing draws a group's as one.
    std::uint32_t bought_switches() const override { return routers() + plan_.all_spines(); }
    std::string bought_name(std::uint32_t bought) const override {
        if (bought < routers()) { return (plan_.plus ? "leaf" : "router") + std::to_string(bought); }
        return "spine" + std::to_string(bought - routers());
    }
    std::optional<std::uint32_t> find_bought(std::string_view name) const override {
        if (const auto router = number_after(name, plan_.plus ? "leaf" : "router"); router && *router < routers()) {
            return router;
        }
        if (const auto spine = number_after(name, "spine"); spine && *spine < plan_.all_spines()) {
            return routers() + *spine;
        }
        return std::nullopt;
    }
    std::uint32_t drawn_as(std::uint32_t bought) const override {
        return bundled_ && bought >= routers() ? routers() + (bought - routers()) / plan_.spines : bought;
    }
    std::array<std::uint32_t, 2> cable_ends(std::uint32_t index, std::uint32_t cable) const override {
        if (index >= first_global_) {
            const auto [group, other, k] = global_at(index);
            return {gateway(group, other, k + cable), gateway(other, group, k + cable)};
        }
        if (plan_.plus) {
            const std::uint32_t half = bundled_ ? routers() : plan_.all_up();
            const std::uint32_t which = index % half;
            const std::uint32_t leaf = bundled_ ? which : which / std::max(plan_.up, 1U);
            const std::uint32_t spine =
                plan_.up == 0 ? leaf : spine_of(leaf, bundled_ ? cable : which - leaf * plan_.up);
            return index < half ? std::array{leaf, spine} : std::array{spine, leaf};
        }
        std::uint32_t from = index % routers();
        if (!bundled_) {
            const std::uint32_t in_full_group = plan_.routers * plan_.local;
            const std::uint32_t group = in_full_group == 0 ? 0 : std::min(index / in_full_group, plan_.groups - 1);
            const std::uint32_t in_group = index - group * in_full_group;
            from = group * plan_.routers + in_group / plan_.local_of(group);
            cable = in_group % plan_.local_of(group);
        }
        const std::uint32_t group = from / plan_.routers;
        const std::uint32_t first = group * plan_.routers, all = plan_.routers_of(group);
        std::uint32_t distance = 0;
        while (distance + 1 < all && plan_.local_before(group, distance + 1) <= cable) { ++distance; }
        const std::uint32_t to = first + (from - first + distance) % all;
        return bundled_ && index >= routers() ? std::array{to, from} : std::array{from, to};
    }
    std::string limit() const override {
        if (!bundled_ || plan_.plus || plan_.routers == 1) { return {}; }
        return "dragonfly, adaptive: a router's local cables act as one link to its group and one from it, so detours "
               "inside a group take no capacity from other routers; heavy traffic between neighbours may be slower";
    }
    // See ClosPlan::uneven; about global cables, so only for tier 1.
    std::string uneven(std::size_t tier) const override {
        std::uint32_t fewest = 0xffffffffU;
        std::uint32_t most = 0;
        for (std::uint32_t group = 0; group < plan_.groups; ++group) {
            for (std::uint32_t other = group + 1; other < plan_.groups; ++other) {
                fewest = std::min(fewest, plan_.cables(group, other));
                most = std::max(most, plan_.cables(group, other));
            }
        }
        return tier != 1 || fewest >= most
                   ? ""
                   : fmt::format("{} {} {} cables between two groups", fewest, most == fewest + 1 ? "or" : "to", most);
    }

private:
    std::uint32_t routers() const { return plan_.all_routers(); }
    std::uint32_t local_links() const {
        const std::uint32_t full = plan_.groups - 1;
        return plan_.plus ? 2 * plan_.all_up()
                          : full * plan_.routers * plan_.local + plan_.last_routers * plan_.last_local;
    }
    // One of the links between two routers of one group, chosen by hash, numbered over the whole fabric.
    std::uint32_t local_link(std::uint32_t from, std::uint32_t to, std::uint64_t flow_hash) const {
        const std::uint32_t group = from / plan_.routers;
        const std::uint32_t first = group * plan_.routers;
        const std::uint32_t distance = to > from ? to - from : to + plan_.routers_of(group) - from;
        const std::uint32_t before = plan_.local_before(group, distance);
        const std::uint32_t cables = plan_.local_before(group, distance + 1) - before;
        return first * plan_.local + (from - first) * plan_.local_of(group) + before + pick(flow_hash, from, cables);
    }
    // The index of `other` among all groups except `group`.
    static std::uint32_t order(std::uint32_t group, std::uint32_t other) { return other < group ? other : other - 1; }
    std::uint32_t cables_before(std::uint32_t group, std::uint32_t other) const {
        return before_[group * plan_.groups + other];
    }
    // The physical router (dragonfly+: spine) of `group` at cable k to `other`. They are dealt to the routers in turn.
    std::uint32_t gateway(std::uint32_t group, std::uint32_t other, std::uint32_t k) const {
        const std::uint32_t place = cables_before(group, other) + k;
        return plan_.plus ? routers() + group * plan_.spines + place % plan_.spines_of(group)
                          : group * plan_.routers + place % plan_.routers_of(group);
    }
    std::uint32_t global_link(std::uint32_t group, std::uint32_t other, std::uint32_t k) const {
        return first_global_ + (bundled_ ? group * (plan_.groups - 1) + order(group, other)
                                         : first_of_group_[group] + cables_before(group, other) + k);
    }
    // For a global link: its group, the other group, and the index of the cable between them.
    std::array<std::uint32_t, 3> global_at(std::uint32_t index) const {
        const std::uint32_t at = index - first_global_;
        if (bundled_) {
            const std::uint32_t group = at / (plan_.groups - 1);
            const std::uint32_t place = at % (plan_.groups - 1);
            return {group, place < group ? place : place + 1, 0};
        }
        const auto group =
            static_cast<std::uint32_t>(std::ranges::upper_bound(first_of_group_, at) - first_of_group_.begin() - 1);
        const auto row = before_.begin() + group * plan_.groups;
        const std::uint32_t in_group = at - first_of_group_[group];
        const auto other = static_cast<std::uint32_t>(std::upper_bound(row, row + plan_.groups, in_group) - row - 1);
        return {group, other, in_group - row[other]};
    }
    // The physical spine at the end of a leaf's cable. A group's cables, leaf after leaf, are dealt to its spines in
    // turn.
    std::uint32_t spine_of(std::uint32_t leaf, std::uint32_t cable) const {
        const std::uint32_t group = leaf / plan_.routers;
        const std::uint32_t dealt = leaf % plan_.routers * plan_.up;
        return routers() + group * plan_.spines + (dealt + cable) % plan_.spines_of(group);
    }
    // Adds one of the parallel cables between a leaf and a spine of its group, chosen by hash.
    void climb(std::uint32_t leaf, std::uint32_t spine, bool down, std::uint64_t flow_hash, TrunkRoute& route) const {
        const std::uint32_t spines = plan_.spines_of(leaf / plan_.routers);
        const std::uint32_t dealt = leaf % plan_.routers * plan_.up % spines;
        const std::uint32_t first = (spine + spines - dealt) % spines;
        const std::uint32_t choices = (plan_.up_of(leaf) - 1 - first) / spines + 1;
        const std::uint32_t cable = first + spines * pick(flow_hash, leaf * 2 + (down ? 1 : 0), choices);
        route.add(leaf * plan_.up + cable + (down ? plan_.all_up() : 0), cable_.latency);
    }

    bool bundled_ = true;
    double utilisation_ = 1;
    DragonflyPlan plan_;
    // Number of global cables from a group to the groups before `other`; from all groups before a group.
    std::vector<std::uint32_t> before_, first_of_group_;
    std::uint32_t first_global_ = 0;
    LinkInfo cable_;
};

}  // namespace

std::unique_ptr<const FabricGenerator> make_dragonfly(const Cluster& cluster) {
    return std::make_unique<Dragonfly>(cluster);
}

}  // namespace fabricast::inline topologies
