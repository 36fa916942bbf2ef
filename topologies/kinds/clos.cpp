// Folded Clos networks: single switch, fat trees of two to four tiers, rail-optimised, rail-only and dual-plane. They
// differ only in which leaf a NIC's cable goes to, and in which groups of leaves are connected below the top tier.
// clos_plan.hpp computes the number of switches and cables.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "topologies/clos_plan.hpp"
#include "topologies/cluster.hpp"
#include "topologies/fabric_generator.hpp"

namespace fabricast::inline topologies {

namespace {

class Clos : public FabricGenerator {
public:
    explicit Clos(const Cluster& cluster)
        : bundled_(cluster.fabric.choice == PathChoice::adaptive),
          joins_rails_(cluster.fabric.kind != FabricKind::rail_only),
          same_hash_(cluster.fabric.same_hash),
          nics_(std::max(cluster.node.nics, 1U)),
          cable_(trunk_cable(cluster.fabric, LinkClass::leaf_spine)),
          utilisation_(cluster.fabric.trunk_utilisation),
          plan_(plan_clos(cluster)) {
        number();
    }

    std::uint32_t switch_count() const override { return drawn_; }
    std::uint32_t trunk_count() const override { return trunks_; }
    std::uint32_t planes() const override { return plan_.planes; }
    std::uint32_t switch_of(FabricEnd end, std::uint32_t plane) const override { return leaf(end, plane); }
    Trunk trunk(std::uint32_t index) const override {
        const auto [t, number] = place_of(index, &Level::first_trunk);
        const bool down = number >= trunks_in(t);
        const std::uint32_t which = number % trunks_in(t);
        Trunk trunk;
        trunk.info = cable_;
        trunk.info.cls = t == 0 ? LinkClass::leaf_spine : LinkClass::spine_core;
        if (bundled_) {
            const ClosUnit& unit = plan_.levels[t].units[which];
            trunk.cables = unit.up;
            trunk.info.capacity *= trunk.cables * utilisation_;
            trunk.from = numbers_[t].first_drawn + which;
            trunk.to = numbers_[t + 1].first_drawn + unit.parent;
        } else {
            const std::uint32_t unit = unit_of(t, which, &ClosUnit::first_cable);
            const auto ends = ends_in(t, unit, which - plan_.levels[t].units[unit].first_cable);
            trunk.from = numbers_[t].first_drawn + ends[0];
            trunk.to = numbers_[t + 1].first_drawn + ends[1];
        }
        if (down) { std::swap(trunk.from, trunk.to); }
        return trunk;
    }
    // "spine0-15": sixteen switches that adaptive routing draws as one.
    std::string switch_name(std::uint32_t index) const override {
        const auto [t, number] = place_of(index, &Level::first_drawn);
        if (!bundled_) { return numbered(t, number); }
        const ClosUnit& unit = plan_.levels[t].units[number];
        const std::string first = numbered(t, unit.first_switch);
        return unit.switches == 1 ? first : first + "-" + std::to_string(unit.first_switch + unit.switches - 1);
    }
    std::optional<std::uint32_t> find_switch(std::string_view name) const override {
        const auto first = find_bought(name.substr(0, name.find('-')));
        if (!first) { return std::nullopt; }
        const std::uint32_t drawn = drawn_as(*first);
        return name.find('-') == std::string_view::npos || switch_name(drawn) == name ? std::optional(drawn)
                                                                                      : std::nullopt;
    }
    // False if no switch joins the two rails (rail-only).
    bool route(FabricEnd from, FabricEnd to, std::uint32_t plane, std::uint64_t flow_hash,
               TrunkRoute& route) const override {
        std::uint32_t at = leaf(from, plane);
        std::uint32_t target = leaf(to, plane);
        std::array<std::uint32_t, 8> below;  // units on the way down to the target, by level
        std::uint32_t sw = 0;                // current switch, counted within its unit
        const auto salt = [&](std::size_t t) {
            return same_hash_ ? 0 : numbers_[t].first_bought + plan_.levels[t].units[at].first_switch + sw;
        };
        std::size_t t = 0;
        for (; at != target; ++t) {
            const ClosUnit& unit = plan_.levels[t].units[at];
            if (unit.up == 0) { return false; }
            if (bundled_) {
                route.add(numbers_[t].first_trunk + at, cable_.latency);
            } else {
                const EvenBlocks cables = unit.cables_of_switches();
                const std::uint32_t cable = cables.first(sw) + pick(flow_hash, salt(t), cables.size(sw));
                route.add(numbers_[t].first_trunk + unit.first_cable + cable, cable_.latency);
                sw = (unit.dealt + cable) % plan_.levels[t + 1].units[unit.parent].switches;
            }
            below[t] = target;
            at = unit.parent;
            target = plan_.levels[t].units[target].parent;
        }
        while (t-- > 0) {
            const ClosUnit& unit = plan_.levels[t].units[below[t]];
            std::uint32_t trunk = below[t];
            if (!bundled_) {
                // Of the unit's cables, every `switches`-th one ends at this switch.
                const std::uint32_t switches = plan_.levels[t + 1].units[at].switches;
                const std::uint32_t first = (sw + switches - unit.dealt % switches) % switches;
                const std::uint32_t choices = (unit.up - 1 - first) / switches + 1;
                const std::uint32_t cable = first + pick(flow_hash, salt(t + 1), choices) * switches;
                trunk = unit.first_cable + cable;
                sw = unit.cables_of_switches().block_of(cable);
            }
            route.add(numbers_[t].first_trunk + trunks_in(t) + trunk, cable_.latency);
            at = below[t];
        }
        return true;
    }
    std::uint32_t longest_route() const override { return static_cast<std::uint32_t>(2 * (plan_.levels.size() - 1)); }
    bool hashes() const override { return !bundled_ || plan_.planes > 1; }
    bool joins_rails() const override { return joins_rails_; }
    std::vector<FabricTier> tiers() const override {
        std::vector<FabricTier> tiers;
        for (std::size_t t = 0; t < plan_.levels.size(); ++t) {
            const ClosLevel& level = plan_.levels[t];
            tiers.push_back({std::string(clos_level_name(t)), level.switches, level.cables});
        }
        return tiers;
    }

    // With adaptive routing the switches of a unit are drawn as one.
    std::uint32_t bought_switches() const override { return bought_; }
    std::string bought_name(std::uint32_t bought) const override {
        const auto [t, number] = place_of(bought, &Level::first_bought);
        return numbered(t, number);
    }
    std::optional<std::uint32_t> find_bought(std::string_view name) const override {
        for (std::size_t t = 0; t < plan_.levels.size(); ++t) {
            const auto found = number_after(name, clos_level_name(t));
            if (!found || *found >= plan_.levels[t].switches) { continue; }
            std::uint32_t number = *found;
            if (t == 0 && plan_.by_rail) {
                number = number % (plan_.planes * plan_.rails) * plan_.sets + number / (plan_.planes * plan_.rails);
            }
            return numbers_[t].first_bought + number;
        }
        return std::nullopt;
    }
    std::uint32_t drawn_as(std::uint32_t bought) const override {
        const auto [t, number] = place_of(bought, &Level::first_bought);
        return numbers_[t].first_drawn + (bundled_ ? unit_of(t, number, &ClosUnit::first_switch) : number);
    }
    std::array<std::uint32_t, 2> cable_ends(std::uint32_t index, std::uint32_t cable) const override {
        const auto [t, number] = place_of(index, &Level::first_trunk);
        const std::uint32_t which = number % trunks_in(t);
        const std::uint32_t unit = bundled_ ? which : unit_of(t, which, &ClosUnit::first_cable);
        auto ends = ends_in(t, unit, bundled_ ? cable : which - plan_.levels[t].units[unit].first_cable);
        ends = {numbers_[t].first_bought + ends[0], numbers_[t + 1].first_bought + ends[1]};
        if (number >= trunks_in(t)) { std::swap(ends[0], ends[1]); }
        return ends;
    }
    std::uint32_t plane_of(std::uint32_t bought) const override {
        const auto [t, number] = place_of(bought, &Level::first_bought);
        const auto units = static_cast<std::uint32_t>(plan_.levels[t].units.size());
        return units < plan_.planes ? 0 : unit_of(t, number, &ClosUnit::first_switch) / (units / plan_.planes);
    }
    std::string uneven(std::size_t tier) const override { return plan_.uneven(tier); }

private:
    struct Level {
        std::uint32_t first_drawn = 0, first_bought = 0, first_trunk = 0;
    };
    struct Place {  // a number, relative to the first of its level
        std::size_t level = 0;
        std::uint32_t number = 0;
    };
    std::uint32_t leaf(FabricEnd end, std::uint32_t plane) const {
        if (plan_.by_rail) { return (plane * plan_.rails + end.nic) * plan_.sets + end.node / plan_.ends_per_leaf; }
        return plane * plan_.sets + (end.node * nics_ + end.nic) / plan_.ends_per_leaf;
    }
    void number() {
        for (std::size_t t = 0; t < plan_.levels.size(); ++t) {
            const ClosLevel& level = plan_.levels[t];
            numbers_.push_back({drawn_, bought_, trunks_});
            drawn_ += bundled_ ? static_cast<std::uint32_t>(level.units.size()) : level.switches;
            bought_ += level.switches;
            trunks_ += 2 * trunks_in(t);
        }
    }
    // Number of links up; there are as many down.
    std::uint32_t trunks_in(std::size_t t) const {
        const ClosLevel& level = plan_.levels[t];
        return level.cables == 0 ? 0 : bundled_ ? static_cast<std::uint32_t>(level.units.size()) : level.cables;
    }
    // The level that a number belongs to, and the number counted from the first of that level.
    Place place_of(std::uint32_t index, std::uint32_t Level::*first) const {
        std::size_t t = 0;
        while (t + 1 < numbers_.size() && index >= numbers_[t + 1].*first) { ++t; }
        return {t, index - numbers_[t].*first};
    }
    // The unit of a level that a switch (`first` is first_switch) or a cable (first_cable) belongs to.
    std::uint32_t unit_of(std::size_t t, std::uint32_t number, std::uint32_t ClosUnit::*first) const {
        const auto& units = plan_.levels[t].units;
        return static_cast<std::uint32_t>(std::ranges::upper_bound(units, number, {}, first) - units.begin() - 1);
    }
    // Leaves with rails are numbered set by set, as in the racks: leaf j of set s is s * planes * rails + j.
    std::string numbered(std::size_t t, std::uint32_t number) const {
        if (t == 0 && plan_.by_rail) {
            number = number % plan_.sets * (plan_.planes * plan_.rails) + number / plan_.sets;
        }
        return std::string(clos_level_name(t)) + std::to_string(number);
    }
    // Physical switches at the lower and the upper end of a unit's cable, each numbered within its level.
    std::array<std::uint32_t, 2> ends_in(std::size_t t, std::uint32_t unit, std::uint32_t cable) const {
        const ClosUnit& lower = plan_.levels[t].units[unit];
        const ClosUnit& upper = plan_.levels[t + 1].units[lower.parent];
        return {lower.first_switch + lower.cables_of_switches().block_of(cable),
                upper.first_switch + (lower.dealt + cable) % upper.switches};
    }

    bool bundled_ = true;  // adaptive routing: all cables from a unit to its parent are one link
    bool joins_rails_ = true;
    bool same_hash_ = false;  // all switches use the same hash
    std::uint32_t nics_ = 1;
    LinkInfo cable_;  // one trunk cable
    double utilisation_ = 1;
    ClosPlan plan_;
    std::vector<Level> numbers_;
    std::uint32_t drawn_ = 0, bought_ = 0, trunks_ = 0;
};

}  // namespace

std::unique_ptr<const FabricGenerator> make_clos(const Cluster& cluster) { return std::make_unique<Clos>(cluster); }

}  // namespace fabricast::inline topologies
