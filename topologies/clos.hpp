#pragma once
// Folded Clos networks: single switch, fat trees of two to four tiers, rail-optimised, rail-only and dual-plane. They
// differ only in which leaf a NIC's cable goes to, and in which groups of leaves are connected below the top tier.
// clos_plan.hpp computes the number of switches and cables.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/clos_plan.hpp"
#include "topologies/cluster.hpp"
#include "topologies/fabric_generator.hpp"

namespace fabricast::inline topologies {

class Clos : public FabricGenerator {
public:
    // Throws ClusterError if the radix and tiers cannot connect all NICs.
    explicit Clos(const Cluster& cluster);

    std::uint32_t switch_count() const override { return drawn_; }
    std::uint32_t trunk_count() const override { return trunks_; }
    std::uint32_t planes() const override { return plan_.planes; }  // cables of one NIC, each to a fabric of its own
    std::uint32_t switch_of(FabricEnd end, std::uint32_t plane) const override { return leaf(end, plane); }
    Trunk trunk(std::uint32_t index) const override;
    std::string switch_name(std::uint32_t index) const override;
    std::optional<std::uint32_t> find_switch(std::string_view name) const override;
    // False if no switch joins the two rails (rail-only).
    bool route(FabricEnd from, FabricEnd to, std::uint32_t plane, std::uint64_t flow_hash,
               TrunkRoute& route) const override;
    std::uint32_t longest_route() const override { return static_cast<std::uint32_t>(2 * (plan_.levels.size() - 1)); }
    bool hashes() const override { return !bundled_ || plan_.planes > 1; }
    bool joins_rails() const override { return joins_rails_; }
    std::vector<FabricTier> tiers() const override;

    // Physical switches; with adaptive routing the switches of a unit are drawn as one.
    std::uint32_t bought_switches() const override { return bought_; }
    std::string bought_name(std::uint32_t bought) const override;
    std::optional<std::uint32_t> find_bought(std::string_view name) const override;
    std::uint32_t drawn_as(std::uint32_t bought) const override;
    // The physical switches at both ends of a trunk's cable.
    std::array<std::uint32_t, 2> cable_ends(std::uint32_t trunk, std::uint32_t cable) const override;
    std::uint32_t plane_of(std::uint32_t bought) const override;
    std::string uneven(std::size_t tier) const override { return plan_.uneven(tier); }

private:
    struct Level {
        std::uint32_t first_drawn = 0, first_bought = 0, first_trunk = 0;
    };
    struct Place {  // a number, relative to the first of its level
        std::size_t level = 0;
        std::uint32_t number = 0;
    };
    std::uint32_t leaf(FabricEnd end, std::uint32_t plane) const;
    void number();
    std::uint32_t trunks_in(std::size_t t) const;
    Place place_of(std::uint32_t index, std::uint32_t Level::*first) const;
    std::uint32_t unit_of(std::size_t t, std::uint32_t number, std::uint32_t ClosUnit::*first) const;
    std::string numbered(std::size_t t, std::uint32_t number) const;
    std::array<std::uint32_t, 2> ends_in(std::size_t t, std::uint32_t unit, std::uint32_t cable) const;

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

}  // namespace fabricast::inline topologies
