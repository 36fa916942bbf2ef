#include "topologies/clos.hpp"

#include <algorithm>
#include <array>

#include "topologies/hash.hpp"

namespace fabricast {

namespace {

constexpr std::array<std::string_view, 4> level_names = {"leaf", "spine", "core", "super"};
constexpr int most_tiers = static_cast<int>(level_names.size());

std::uint32_t ceil_div(std::uint64_t a, std::uint64_t b) { return static_cast<std::uint32_t>((a + b - 1) / b); }

// The least divisor of n that is at least `floor`: switches that share the cables below them evenly.
std::uint32_t divisor_from(std::uint32_t n, std::uint32_t floor) {
    std::uint32_t d = std::max(floor, 1U);
    while (n % d != 0) {
        ++d;
    }
    return d;
}

// Ports left for cables down and up at a leaf with `oversubscription` down : up. The sum is guarded against 2.9999.
std::uint32_t share_of_ports(double ports, double share) { return static_cast<std::uint32_t>(ports * share + 1e-9); }

bool is_by_rail(FabricKind kind) {
    return kind == FabricKind::rail_optimized || kind == FabricKind::rail_only || kind == FabricKind::dual_plane;
}

}  // namespace

Clos::Clos(const Cluster& cluster)
    : bundled_(cluster.fabric.choice == PathChoice::adaptive),
      rail_only_(cluster.fabric.kind == FabricKind::rail_only),
      same_hash_(cluster.fabric.same_hash),
      radix_(static_cast<std::uint32_t>(cluster.fabric.radix)),
      utilisation_(cluster.fabric.trunk_utilisation) {
    const FabricSpec& fabric = cluster.fabric;
    if (fabric.radix < 2 || fabric.oversubscription <= 0) {
        throw ClusterError("a fabric needs switches of at least 2 ports and an oversubscription above 0");
    }
    const LinkSpec& trunk = fabric.trunk.rate.num > 0 ? fabric.trunk : fabric.link;
    cable_ = {goodput(trunk), trunk.latency + fabric.switch_latency, LinkClass::leaf_spine};
    plan_leaves(cluster);
    plan_levels(fabric);
    number();
}

// How many leaves, and how many NICs on each.
void Clos::plan_leaves(const Cluster& cluster) {
    const FabricSpec& fabric = cluster.fabric;
    const auto ports = static_cast<std::uint32_t>(std::max(cluster.node.nic_ports, 1));
    const std::uint64_t ends = static_cast<std::uint64_t>(cluster.nodes) * cluster.node.nics;
    nics_ = std::max(cluster.node.nics, 1U);
    by_rail_ = is_by_rail(fabric.kind);
    planes_ = fabric.kind == FabricKind::dual_plane ? 2 : 1;

    const bool may_be_one = fabric.kind == FabricKind::fat_tree || fabric.kind == FabricKind::rail_optimized;
    const bool fits_one = ends * ports <= radix_;
    if (fabric.kind == FabricKind::single_switch || fabric.tiers == 1 ||
        (fabric.tiers == 0 && may_be_one && fits_one)) {
        if (!fits_one) {
            throw ClusterError("one switch of " + std::to_string(radix_) + " ports cannot take " +
                               std::to_string(ends * ports) + " cables; use a fat tree or a larger switch");
        }
        by_rail_ = false;
        ends_per_leaf_ = std::max(static_cast<std::uint32_t>(ends), 1U);
        leaf_up_ = 0;
        return;
    }
    const double o = fabric.oversubscription;
    // A plane's NIC cables run at half the rate, so a leaf has twice as many ports for them.
    const std::uint32_t down = share_of_ports(radix_ * planes_, o / (1 + o)) / ports;
    leaf_up_ = share_of_ports(radix_, 1 / (1 + o));
    if (down == 0 || leaf_up_ == 0) {
        throw ClusterError("an oversubscription of " + std::to_string(o) + " leaves no port on a switch of " +
                           std::to_string(radix_));
    }
    rails_ = by_rail_ ? cluster.node.nics : 1;
    ends_per_leaf_ = down;
    if (fabric.scalable_unit > 0) {
        plan_unit(fabric, down, ports);
    }
    sets_ = ceil_div(by_rail_ ? cluster.nodes : ends, ends_per_leaf_);
    if (rail_only_ && sets_ == 1) {
        leaf_up_ = 0;
    }
}

// A stated number of nodes to a set of leaves; of the leaf's other ports as many go up as the ratio asks for.
void Clos::plan_unit(const FabricSpec& fabric, std::uint32_t most_ends, std::uint32_t ports) {
    const std::uint64_t nics = by_rail_ ? 1 : nics_;  // of a node, on one leaf
    if (fabric.scalable_unit * nics > most_ends) {
        throw ClusterError("a leaf of " + std::to_string(radix_) + " ports takes " + std::to_string(most_ends / nics) +
                           " nodes at an oversubscription of " + std::to_string(fabric.oversubscription) + ", not " +
                           std::to_string(fabric.scalable_unit) + ": state a smaller `scalable_unit`");
    }
    ends_per_leaf_ = static_cast<std::uint32_t>(fabric.scalable_unit * nics);
    const double down_at_full_rate = static_cast<double>(ends_per_leaf_) * ports / planes_;
    leaf_up_ = std::min(
        leaf_up_, std::max(1U, static_cast<std::uint32_t>(down_at_full_rate / fabric.oversubscription + 1 - 1e-9)));
}

void Clos::plan_levels(const FabricSpec& fabric) {
    const auto plan = [&](int tiers) {
        levels_.clear();
        ClosLevel level;
        level.units = planes_ * rails_ * sets_;
        level.up = leaf_up_;
        std::uint32_t rail_units = sets_;  // of one rail and plane
        for (int tier = 1; tier < tiers; ++tier) {
            const bool last = tier == tiers - 1;
            const bool apart = rail_only_ || (by_rail_ && tier == 1 && !last);
            const std::uint32_t limit = last ? radix_ : radix_ / 2;  // ports of the switches above that look down
            level.per_group = apart ? rail_units : level.units / planes_;
            if (last && level.per_group > limit) {
                return false;
            }
            const std::uint32_t parents = last ? 1 : ceil_div(level.per_group, limit);
            level.fan = ceil_div(level.per_group, parents);
            level.parents_per_group = ceil_div(level.per_group, level.fan);
            level.classes =
                divisor_from(level.switches, ceil_div(static_cast<std::uint64_t>(level.fan) * level.switches, limit));
            const std::uint64_t sharing = static_cast<std::uint64_t>(level.fan) * (level.switches / level.classes);
            level.per_class = divisor_from(level.up, ceil_div(sharing * level.up, limit));
            if (tier == 1 && fabric.spines > 0) {
                level.per_class = stated_spines(fabric, level);
            }
            levels_.push_back(level);

            ClosLevel above;
            above.units = level.units / level.per_group * level.parents_per_group;
            above.switches = level.classes * level.per_class;
            above.up = ceil_div(static_cast<std::uint64_t>(level.fan) * level.switches * level.up, above.switches);
            rail_units = apart ? level.parents_per_group : rail_units;
            level = above;
        }
        level.up = 0;
        levels_.push_back(level);
        return true;
    };
    const bool joined = leaf_up_ == 0;
    if (joined && fabric.spines > 0) {
        throw ClusterError("one switch joins all NICs: `spines` has no tier to stand in");
    }
    const int least = joined ? 1 : std::max(fabric.tiers, 2);
    const int most = joined ? 1 : fabric.tiers == 0 ? most_tiers : std::min(fabric.tiers, most_tiers);
    for (int tiers = least; tiers <= most; ++tiers) {
        if (plan(tiers)) {
            return;
        }
    }
    throw ClusterError(std::to_string(planes_ * rails_ * sets_) + " leaves of " + std::to_string(ends_per_leaf_) +
                       " NICs are more than " + std::to_string(most) + " tiers of " + std::to_string(radix_) +
                       "-port switches can join; use larger switches" + (most < most_tiers ? " or more tiers" : ""));
}

// Spines of each unit of the second tier, as stated for all together. `level` is the leaves'.
std::uint32_t Clos::stated_spines(const FabricSpec& fabric, const ClosLevel& level) {
    const std::uint32_t units = level.units / level.per_group * level.parents_per_group;
    std::string fitting;
    for (std::uint32_t each = level.per_class; each <= level.up; ++each) {
        if (level.up % each == 0) {
            if (each * units == fabric.spines) {
                return each;
            }
            fitting += (fitting.empty() ? "" : ", ") + std::to_string(each * units);
        }
    }
    throw ClusterError(std::to_string(fabric.spines) + " spines cannot share the " + std::to_string(level.up) +
                       " cables of each of " + std::to_string(level.units) + " leaves evenly; these can: " + fitting);
}

void Clos::number() {
    for (ClosLevel& level : levels_) {
        level.first_switch = switches_;
        level.first_trunk = trunks_;
        switches_ += level.units * switches_in(level);
        trunks_ += level.up == 0 ? 0 : 2 * trunks_in(level);
    }
}

std::uint32_t Clos::leaf(FabricEnd end, std::uint32_t plane) const {
    if (by_rail_) {
        return (plane * rails_ + end.nic) * sets_ + end.node / ends_per_leaf_;
    }
    return (end.node * nics_ + end.nic) / ends_per_leaf_;
}

bool Clos::route(FabricEnd from, FabricEnd to, std::uint32_t plane, std::uint64_t flow_hash, TrunkRoute& route) const {
    std::uint32_t at = leaf(from, plane);
    std::uint32_t target = leaf(to, plane);
    std::array<std::uint32_t, level_names.size()> below;  // the target's units on the way down
    std::uint32_t sw = 0;
    std::size_t t = 0;
    for (; at != target; ++t) {
        const ClosLevel& level = levels_[t];
        if (level.up == 0) {
            return false;
        }
        const std::uint32_t salt = same_hash_ ? 0 : level.first_switch + at * level.switches + sw;
        const std::uint32_t port = bundled_ ? 0 : pick(flow_hash, salt, level.up);
        route.add(upward(level, at, sw, port), cable_.latency);
        sw = sw % level.classes * level.per_class + port % level.per_class;
        below[t] = target;
        at = level.parent(at);
        target = level.parent(target);
    }
    while (t-- > 0) {
        const ClosLevel& level = levels_[t];
        const ClosLevel& above = levels_[t + 1];
        std::uint32_t lower = 0;
        std::uint32_t port = 0;
        if (!bundled_) {
            const std::uint32_t salt = same_hash_ ? 0 : above.first_switch + at * above.switches + sw;
            const std::uint32_t choices = level.up / level.per_class;
            const std::uint32_t chosen = pick(flow_hash, salt, level.switches / level.classes * choices);
            lower = sw / level.per_class + chosen / choices * level.classes;
            port = sw % level.per_class + chosen % choices * level.per_class;
        }
        route.add(upward(level, below[t], lower, port) + trunks_in(level), cable_.latency);
        at = below[t];
        sw = lower;
    }
    return true;
}

Trunk Clos::trunk(std::uint32_t index) const {
    std::size_t t = 0;
    while (t + 2 < levels_.size() && index >= levels_[t + 1].first_trunk) {
        ++t;
    }
    const ClosLevel& level = levels_[t];
    const ClosLevel& above = levels_[t + 1];
    const std::uint32_t count = trunks_in(level);
    const bool down = index - level.first_trunk >= count;
    const std::uint32_t which = (index - level.first_trunk) % count;

    Trunk trunk;
    trunk.info = cable_;
    trunk.info.cls = t == 0 ? LinkClass::leaf_spine : LinkClass::spine_core;
    std::uint32_t unit = which;
    std::uint32_t lower = 0;
    std::uint32_t upper = 0;
    if (bundled_) {
        trunk.cables = level.switches * level.up;
        trunk.info.capacity *= trunk.cables * utilisation_;
    } else {
        const std::uint32_t port = which % level.up;
        lower = which / level.up % level.switches;
        unit = which / level.up / level.switches;
        upper = lower % level.classes * level.per_class + port % level.per_class;
    }
    trunk.from = level.first_switch + unit * switches_in(level) + lower;
    trunk.to = above.first_switch + level.parent(unit) * switches_in(above) + upper;
    if (down) {
        std::swap(trunk.from, trunk.to);
    }
    return trunk;
}

std::vector<FabricTier> Clos::tiers() const {
    std::vector<FabricTier> tiers;
    for (std::size_t t = 0; t < levels_.size(); ++t) {
        const std::uint64_t switches = static_cast<std::uint64_t>(levels_[t].units) * levels_[t].switches;
        tiers.push_back({std::string(level_names[t]), switches, switches * levels_[t].up});
    }
    return tiers;
}

std::string Clos::switch_name(std::uint32_t index) const {
    std::size_t t = 0;
    while (t + 1 < levels_.size() && index >= levels_[t + 1].first_switch) {
        ++t;
    }
    std::uint32_t number = index - levels_[t].first_switch;
    if (t == 0 && by_rail_) {  // leaf j of set s is s * rails + j, as they stand in the rack
        number = number % sets_ * (planes_ * rails_) + number / sets_;
    }
    return std::string(level_names[t]) + std::to_string(number);
}

std::optional<std::uint32_t> Clos::find_switch(std::string_view name) const {
    for (std::size_t t = 0; t < levels_.size(); ++t) {
        const auto found = number_after(name, level_names[t]);
        if (!found || *found >= levels_[t].units * switches_in(levels_[t])) {
            continue;
        }
        std::uint32_t number = *found;
        if (t == 0 && by_rail_) {
            number = number % (planes_ * rails_) * sets_ + number / (planes_ * rails_);
        }
        return levels_[t].first_switch + number;
    }
    return std::nullopt;
}

}  // namespace fabricast
