#include "topologies/clos_plan.hpp"

#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "topologies/fabric_generator.hpp"
#include "topologies/trunk_ports.hpp"

namespace fabricast::inline topologies {

namespace {

constexpr std::array<std::string_view, 4> level_names = {"leaf", "spine", "core", "super"};
constexpr int most_tiers = static_cast<int>(level_names.size());

class ClosPlanner {
public:
    explicit ClosPlanner(const Cluster& cluster)
        : fabric_(cluster.fabric),
          trunks_(cluster.fabric),
          radix_(static_cast<std::uint32_t>(cluster.fabric.radix)),
          trunk_radix_(trunks_.on(radix_)),
          ports_(static_cast<std::uint32_t>(std::max(cluster.node.nic_ports, 1))),
          nodes_(cluster.nodes),
          nics_(std::max(cluster.node.nics, 1U)) {
        const FabricKind kind = fabric_.kind;
        plan_.by_rail =
            kind == FabricKind::rail_optimized || kind == FabricKind::rail_only || kind == FabricKind::dual_plane;
        plan_.planes = kind == FabricKind::dual_plane ? fabric_.planes : 1;
        of_port_ = plane_cables_of_port(fabric_);
    }

    ClosPlan plan() {
        if (!one_switch() && !one_switch_a_rail()) {
            plan_leaves();
            if (fabric_.kind == FabricKind::rail_only && plan_.sets == 1) {
                refuse_spines_alone();
                plan_.levels.emplace_back().units.resize(static_cast<std::size_t>(plan_.planes) * plan_.rails);
            } else {
                join_leaves();
            }
        }
        number();
        return std::move(plan_);
    }

private:
    std::uint64_t ends() const { return static_cast<std::uint64_t>(nodes_) * nics_; }

    // One switch for each plane, if that was asked for or is all that a small fabric needs.
    bool one_switch() {
        if (fabric_.kind == FabricKind::rail_only) { return false; }
        const bool may_be_one = fabric_.kind == FabricKind::fat_tree || fabric_.kind == FabricKind::rail_optimized ||
                                fabric_.kind == FabricKind::dual_plane;
        const bool fits_one = ports_of(ends()) <= radix_;
        const bool fits_all = ports_of(ends()) + ceil_div(fabric_.management_ports, plan_.planes) <= radix_;
        if (fabric_.kind != FabricKind::single_switch && fabric_.tiers != 1 &&
            !(fabric_.tiers == 0 && may_be_one && fits_all)) {
            return false;
        }
        if (!fits_one) {
            refuse_one_switch(ends(), plan_.planes > 1 ? fmt::format(" of a plane, {} to a port", of_port_) : "");
        }
        refuse_spines_alone();
        plan_.by_rail = false;
        plan_.ends_per_leaf = std::max(static_cast<std::uint32_t>(ends()), 1U);
        plan_.levels.emplace_back().units.resize(plan_.planes);
        return true;
    }

    // One switch for each rail of a rail-only fabric, without cables up: nothing joins the rails. A stated number of
    // spines or nodes on a leaf asks for leaves.
    bool one_switch_a_rail() {
        if (fabric_.kind != FabricKind::rail_only || fabric_.tiers > 1) { return false; }
        const std::uint32_t management = ceil_div(fabric_.management_ports, nics_);
        const bool free = fabric_.tiers == 0 && fabric_.spines == 0 && fabric_.scalable_unit == 0;
        if (fabric_.tiers == 1 && ports_of(nodes_) > radix_) { refuse_one_switch(nodes_, " of a rail"); }
        if (fabric_.tiers != 1 && !(free && ports_of(nodes_) + management <= radix_)) { return false; }
        refuse_spines_alone();
        plan_.rails = nics_;
        plan_.ends_per_leaf = std::max(nodes_, 1U);
        plan_.levels.emplace_back().units.resize(plan_.rails);
        return true;
    }

    [[noreturn]] void refuse_one_switch(std::uint64_t nics, const std::string& of_what) const {
        throw ClusterError("one switch of {} ports cannot take {} cables{}; use {} or a larger switch", radix_,
                           nics * ports_, of_what,
                           fabric_.kind == FabricKind::single_switch ? "a fat tree" : "more tiers");
    }

    void refuse_spines_alone() const {
        if (fabric_.spines > 0) {
            throw ClusterError("one switch joins all NICs{}: `spines` has no tier to stand in",
                               plan_.planes > 1                        ? " of a plane"
                               : fabric_.kind == FabricKind::rail_only ? " of a rail"
                                                                       : "");
        }
    }

    // Cables up of a leaf with `nics` NICs: with two planes their cables run at half the rate, with four at a quarter.
    // Trunks twice as fast as a link are half as many. The 1e-9 absorbs rounding errors before ceil().
    std::uint32_t cables_up(std::uint32_t nics) const {
        const double wanted = static_cast<double>(nics) * ports_ / plan_.planes * trunks_.per_link;
        return std::max(1U, static_cast<std::uint32_t>(std::ceil(wanted / fabric_.oversubscription - 1e-9)));
    }
    // Ports at the link's rate that the cables of `nics` NICs take.
    std::uint64_t ports_of(std::uint64_t nics) const { return (nics * ports_ + of_port_ - 1) / of_port_; }
    // Whether a leaf has ports for so many NICs and cables up.
    bool fits(std::uint32_t nics, std::uint32_t up) const { return ports_of(nics) + trunks_.taken_by(up) <= radix_; }

    // Computes the number of leaves and the NICs on each.
    void plan_leaves() {
        const double o = fabric_.oversubscription;
        const double up_ports = trunks_.ports_per_link() / (o * plan_.planes);  // for each cable at the link's rate
        auto most = static_cast<std::uint32_t>(radix_ / (ports_ * (1.0 / of_port_ + up_ports)) + 1e-9);
        while (most > 0 && !fits(most, cables_up(most))) { --most; }
        if (most == 0) {
            throw ClusterError("an oversubscription of {:f}{} leaves no port on a switch of {}", o, trunks_.words,
                               radix_);
        }
        plan_.rails = plan_.by_rail ? nics_ : 1;
        const std::uint32_t of_node = nics_ / plan_.rails;  // NICs of a node on one leaf
        const std::uint64_t of_rail =
            ends() / plan_.rails + ceil_div(fabric_.management_ports, plan_.rails * plan_.planes);
        if (fabric_.scalable_unit > 0) {
            if (static_cast<std::uint64_t>(fabric_.scalable_unit) * of_node > most) {
                throw ClusterError(
                    "a leaf of {} ports takes {} nodes at an oversubscription of {:f}{}, not {}: state a smaller "
                    "`scalable_unit`",
                    radix_, most / of_node, o, trunks_.words, fabric_.scalable_unit);
            }
            plan_.ends_per_leaf = fabric_.scalable_unit * of_node;
            plan_.sets = ceil_div(ends() / plan_.rails, plan_.ends_per_leaf);
            leaf_up_ = cables_up(
                plan_.sets > 1 ? plan_.ends_per_leaf
                               : static_cast<std::uint32_t>(std::min<std::uint64_t>(of_rail, plan_.ends_per_leaf)));
            return;
        }
        // The fewest leaves, filled evenly, with all of a node's NICs on one leaf if that takes no more leaves.
        // Together they have at least as many cables up as one leaf fewer would have when full, so that more nodes
        // never need fewer cables. Where a NIC has more than one cable up, a full leaf uses all its ports, so that a
        // lower ratio never needs fewer either.
        plan_.sets = ceil_div(ends() / plan_.rails, most);
        const std::uint64_t nodes_on_leaf = ceil_div(ceil_div(of_rail, plan_.sets), of_node);
        plan_.ends_per_leaf = static_cast<std::uint32_t>(std::min<std::uint64_t>(most, nodes_on_leaf * of_node));
        const std::uint32_t full_up = o < trunks_.per_link ? trunks_.on(radix_ - ports_of(most)) : cables_up(most);
        leaf_up_ = std::max(plan_.ends_per_leaf == most ? full_up : cables_up(plan_.ends_per_leaf),
                            ceil_div(static_cast<std::uint64_t>(plan_.sets - 1) * full_up, plan_.sets));
    }

    // Takes the fewest tiers that can join all leaves.
    void join_leaves() {
        const int most = fabric_.tiers == 0 ? most_tiers : std::min(fabric_.tiers, most_tiers);
        for (int tiers = std::max(fabric_.tiers, 2); tiers <= most; ++tiers) {
            if (join(tiers) && settle()) {
                check_spines();
                return;
            }
        }
        throw ClusterError(
            "{} leaves of {} NICs{} are more than {} tiers of {}-port switches can join; use larger switches{}",
            plan_.planes * plan_.rails * plan_.sets, plan_.ends_per_leaf, trunks_.words, most, radix_,
            most < most_tiers ? " or more tiers" : "");
    }

    // Creates the units of each level and assigns their parents; false if there are too few tiers.
    bool join(int tiers) {
        plan_.levels.assign(1, {});
        plan_.levels.front().units.resize(static_cast<std::size_t>(plan_.planes) * plan_.rails * plan_.sets);
        auto rail_units = plan_.sets;  // units of one rail and plane
        for (int tier = 1; tier < tiers; ++tier) {
            ClosLevel& level = plan_.levels.back();
            const bool last = tier == tiers - 1;
            const bool apart = fabric_.kind == FabricKind::rail_only || (plan_.by_rail && tier == 1 && !last);
            // Ports of the switches above that face down.
            const std::uint32_t limit = last ? trunk_radix_ : trunk_radix_ / 2;
            const auto units = static_cast<std::uint32_t>(level.units.size());
            level.per_group = apart ? rail_units : units / plan_.planes;
            if (last && level.per_group > limit) { return false; }
            // Divides a group's units among its parents as evenly as possible.
            const std::uint32_t parents = ceil_div(level.per_group, limit);
            const EvenBlocks of_parents(level.per_group, parents);
            for (std::uint32_t u = 0; u < units; ++u) {
                level.units[u].parent = u / level.per_group * parents + of_parents.block_of(u % level.per_group);
            }
            rail_units = apart ? parents : rail_units;
            const std::size_t above = static_cast<std::size_t>(units / level.per_group) * parents;
            plan_.levels.emplace_back().units.resize(above);
        }
        return true;
    }

    // Finds the fewest switches, from the leaves up. What a unit needs also depends on the units above it, so this
    // repeats until nothing grows. False if a leaf lacks ports for a cable to each switch above it.
    bool settle() {
        const auto pods = static_cast<std::uint32_t>(plan_.levels[1].units.size());
        if (fabric_.spines % pods == 0) {
            for (ClosUnit& unit : plan_.levels[1].units) { unit.switches = std::max(1U, fabric_.spines / pods); }
        }
        for (bool grew = true; grew;) {
            grew = false;
            // Cables that each unit of the level needs upwards.
            std::vector<std::uint32_t> below(plan_.levels.front().units.size(), leaf_up_);
            for (std::size_t t = 0; t + 1 < plan_.levels.size(); ++t) {
                std::vector<ClosUnit>& above = plan_.levels[t + 1].units;
                std::vector<std::uint32_t> cables(above.size(), 0);
                for (std::size_t u = 0; u < below.size(); ++u) {
                    ClosUnit& unit = plan_.levels[t].units[u];
                    unit.up = std::max(below[u], above[unit.parent].switches);
                    cables[unit.parent] += unit.up;
                }
                for (std::size_t p = 0; p < above.size(); ++p) { grew |= enlarge(t + 1, above[p], cables[p]); }
                below = std::move(cables);
            }
        }
        const ClosUnit& leaf = plan_.levels.front().units.front();
        return fabric_.spines > 0 || fits(plan_.ends_per_leaf, leaf.up);
    }

    // Adds switches until the unit has ports for `down` cables from below and as many to the next level.
    bool enlarge(std::size_t t, ClosUnit& unit, std::uint32_t down) const {
        const bool top = t + 1 == plan_.levels.size();
        const std::uint32_t up = top ? 0 : std::max(down, plan_.levels[t + 1].units[unit.parent].switches);
        const std::uint32_t before = unit.switches;
        unit.switches = std::max(unit.switches, ceil_div(down, top ? trunk_radix_ : trunk_radix_ / 2));
        while (ceil_div(down, unit.switches) + ceil_div(up, unit.switches) > trunk_radix_) { ++unit.switches; }
        return unit.switches > before;
    }

    std::uint32_t spines_of_a_pod() const {
        return std::ranges::max(plan_.levels[1].units, {}, &ClosUnit::switches).switches;
    }

    // Checks a stated number of spines: enough ports for the leaves' cables, and a cable from every leaf to each spine.
    void check_spines() {
        const auto pods = static_cast<std::uint32_t>(plan_.levels[1].units.size());
        const std::uint32_t most = leaf_up_;
        if (fabric_.spines == 0 || (spines_of_a_pod() * pods == fabric_.spines && spines_of_a_pod() <= most)) {
            return;
        }
        const std::uint32_t asked = fabric_.spines;
        fabric_.spines = 0;
        for (ClosLevel& level : plan_.levels) {
            for (ClosUnit& unit : level.units) { unit.switches = 1; }
        }
        settle();
        const std::uint32_t least = spines_of_a_pod();
        std::vector<std::uint32_t> even;
        for (std::uint32_t each = least; each <= most; ++each) {
            if (most % each == 0) { even.push_back(each * pods); }
        }
        throw ClusterError("{} spines cannot take the {} cables of each of {} leaves; these can: {} to {}{}, evenly {}",
                           asked, most, plan_.levels.front().units.size(), least * pods, most * pods,
                           pods > 1 ? fmt::format(" in steps of {}", pods) : "", fmt::join(even, ", "));
    }

    void number() {
        for (std::size_t t = 0; t < plan_.levels.size(); ++t) {
            ClosLevel& level = plan_.levels[t];
            std::vector<std::uint32_t> dealt(t + 1 < plan_.levels.size() ? plan_.levels[t + 1].units.size() : 0, 0);
            for (ClosUnit& unit : level.units) {
                unit.first_switch = level.switches;
                unit.first_cable = level.cables;
                level.switches += unit.switches;
                if (!dealt.empty()) {
                    level.cables += unit.up;
                    unit.dealt = dealt[unit.parent];
                    dealt[unit.parent] += unit.up;
                } else {
                    unit.up = 0;
                }
            }
        }
    }

    FabricSpec fabric_;
    TrunkPorts trunks_;
    std::uint32_t radix_;        // ports of a switch at the link's rate
    std::uint32_t trunk_radix_;  // trunks that one switch can take
    std::uint32_t ports_, nodes_, nics_;
    std::uint32_t of_port_ = 1;  // cables of NICs that a port at the link's rate serves
    std::uint32_t leaf_up_ = 0;  // cables that a leaf needs upwards
    ClosPlan plan_;
};

}  // namespace

std::uint32_t plane_cables_of_port(const FabricSpec& fabric) {
    if (fabric.kind != FabricKind::dual_plane) { return 1; }
    return fabric.plane_cables > 0 ? std::min(fabric.plane_cables, fabric.planes) : fabric.planes;
}

ClosPlan plan_clos(const Cluster& cluster) {
    const FabricSpec& fabric = cluster.fabric;
    if (fabric.radix < 2 || fabric.oversubscription <= 0) {
        throw ClusterError("a fabric needs switches of at least 2 ports and an oversubscription above 0");
    }
    const TrunkPorts trunks(fabric);
    if (trunks.on(static_cast<std::uint64_t>(fabric.radix)) < 2) {
        throw ClusterError("switches of {} ports{} are too small: two trunks take {} ports", fabric.radix, trunks.words,
                           trunks.taken_by(2));
    }
    return ClosPlanner(cluster).plan();
}

std::string_view clos_level_name(std::size_t level) { return level_names.at(level); }

std::string ClosPlan::uneven(std::size_t t) const {
    if (t + 1 >= levels.size()) { return ""; }
    std::uint32_t fewest = levels[t].cables;
    std::uint32_t most = 0;
    std::uint32_t common = 0;  // greatest common divisor of the units' cables up
    std::uint32_t switches = 1;
    for (const ClosUnit& unit : levels[t].units) {
        const std::uint32_t above = levels[t + 1].units[unit.parent].switches;
        fewest = std::min(fewest, unit.up / above);
        most = std::max(most, ceil_div(unit.up, above));
        common = std::gcd(common, unit.up);
        switches = std::max(switches, above);
    }
    if (fewest == most) { return ""; }
    const std::string said = fmt::format("{} {} {} cables from a {} to a {}", fewest, most == fewest + 1 ? "or" : "to",
                                         most, t == 0 ? "leaf" : "pod", level_names[t + 1]);
    for (std::uint32_t each = switches; t == 0 && each <= common; ++each) {
        if (common % each == 0) {
            return fmt::format("{}, even with `spines: {}`", said, each * levels[1].units.size());
        }
    }
    return said;
}

}  // namespace fabricast::inline topologies
