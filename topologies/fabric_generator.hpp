#pragma once
// The interface of fabric generators. A generator says which switch a NIC's cable goes to, which trunks join the
// switches, and which trunks a flow takes. It numbers switches and trunks from 0; `Fabric` adds the offsets of its ids.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "topologies/cluster.hpp"
#include "topologies/paths.hpp"

namespace fabricast::inline topologies {

// One end of the fabric: a NIC of a node.
struct FabricEnd {
    std::uint32_t node = 0;
    std::uint32_t nic = 0;
};

struct Trunk {
    std::uint32_t from = 0, to = 0;  // switches; numbers from the switch count on are NICs (node * NICs + NIC)
    std::uint32_t cables = 1;
    LinkInfo info;
    bool resource = false;  // see LinkEnds
};

// One trunk cable of the fabric.
inline LinkInfo trunk_cable(const FabricSpec& fabric, LinkClass cls) {
    const LinkSpec& trunk = fabric.trunk.rate.num > 0 ? fabric.trunk : fabric.link;
    return {goodput(trunk), trunk.latency + fabric.switch_latency, cls};
}

// The trunks of one route, in order. A generator appends; `Fabric` reads.
struct TrunkRoute {
    std::array<std::uint32_t, max_path_links> trunks;
    std::size_t count = 0;
    Duration latency;

    void add(std::uint32_t trunk, Duration trunk_latency) {
        trunks[count++] = trunk;
        latency += trunk_latency;
    }
};

class FabricGenerator {
public:
    virtual ~FabricGenerator() = default;

    virtual std::uint32_t switch_count() const = 0;
    virtual std::uint32_t trunk_count() const = 0;
    virtual Trunk trunk(std::uint32_t index) const = 0;
    virtual std::string switch_name(std::uint32_t index) const = 0;
    virtual std::optional<std::uint32_t> find_switch(std::string_view name) const = 0;
    virtual std::uint32_t switch_of(FabricEnd end, std::uint32_t plane) const = 0;
    // Appends the trunks from one NIC's switch to the other's; false if there is no way.
    virtual bool route(FabricEnd from, FabricEnd to, std::uint32_t plane, std::uint64_t flow_hash,
                       TrunkRoute& route) const = 0;
    virtual std::uint32_t longest_route() const = 0;  // upper bound on the trunks of a route
    virtual std::vector<FabricTier> tiers() const = 0;

    // Cables of one NIC, each to a fabric of its own; 0: the cables of NICs are trunks too.
    virtual std::uint32_t planes() const { return 1; }
    virtual bool hashes() const { return true; }       // some route depends on the flow's hash
    virtual bool joins_rails() const { return true; }  // false: a sender must use a NIC on the receiver's rail
    virtual bool by_tray() const { return true; }      // NICs are numbered by tray and rail, not by node
    // The bandwidth of all trunks between two halves of the nodes, where a closed form is known.
    virtual std::optional<double> trunks_between_halves() const { return std::nullopt; }

    // Physical switches. With adaptive routing a generator may draw several as one; these do not.
    virtual std::uint32_t bought_switches() const { return switch_count(); }
    virtual std::string bought_name(std::uint32_t bought) const { return switch_name(bought); }
    virtual std::optional<std::uint32_t> find_bought(std::string_view name) const { return find_switch(name); }
    virtual std::uint32_t drawn_as(std::uint32_t bought) const { return bought; }
    virtual std::uint32_t plane_of(std::uint32_t) const { return 0; }
    // The physical switches at both ends of a trunk's cable.
    virtual std::array<std::uint32_t, 2> cable_ends(std::uint32_t index, std::uint32_t) const {
        const Trunk joined = trunk(index);
        return {joined.from, joined.to};
    }
    // In words, what a forecast on this wiring leaves out; else empty.
    virtual std::string limit() const { return {}; }
    // In words, if the cables of a tier are not spread evenly over its switches; else empty.
    virtual std::string uneven(std::size_t) const { return {}; }
};

// The generators, each in a file of kinds/. Each throws ClusterError if it cannot wire the cluster.
std::unique_ptr<const FabricGenerator> make_clos(const Cluster& cluster);
std::unique_ptr<const FabricGenerator> make_dragonfly(const Cluster& cluster);
std::unique_ptr<const FabricGenerator> make_torus(const Cluster& cluster);
std::unique_ptr<const FabricGenerator> make_explicit(const Cluster& cluster);

constexpr std::uint32_t ceil_div(std::uint64_t a, std::uint64_t b) {
    return static_cast<std::uint32_t>((a + b - 1) / b);
}

// The number at the end of a switch's name: number_after("leaf12", "leaf") is 12.
inline std::optional<std::uint32_t> number_after(std::string_view name, std::string_view prefix) {
    return name.starts_with(prefix) ? number_in<std::uint32_t>(name.substr(prefix.size())) : std::nullopt;
}

}  // namespace fabricast::inline topologies
