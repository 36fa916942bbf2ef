// The table of the kinds of fabric. To add one, add a row, and a file in kinds/ with its generator.

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "topologies/fabric_generator.hpp"
#include "topologies/topology.hpp"
#include "topologies/trays.hpp"

namespace fabricast::inline topologies {

namespace {

// A single node: its NICs are not connected.
class NoFabric : public FabricGenerator {
public:
    std::uint32_t switch_count() const override { return 0; }
    std::uint32_t trunk_count() const override { return 0; }
    std::uint32_t planes() const override { return 0; }
    std::uint32_t switch_of(FabricEnd, std::uint32_t) const override { return 0; }
    Trunk trunk(std::uint32_t) const override { return {}; }
    std::string switch_name(std::uint32_t) const override { return {}; }
    std::optional<std::uint32_t> find_switch(std::string_view) const override { return std::nullopt; }
    bool route(FabricEnd, FabricEnd, std::uint32_t, std::uint64_t, TrunkRoute&) const override { return false; }
    std::uint32_t longest_route() const override { return 0; }
    bool hashes() const override { return false; }
    std::vector<FabricTier> tiers() const override { return {}; }
};

using Generated = std::unique_ptr<const FabricGenerator>;

Generated no_fabric(const Cluster&, const Trays&) { return std::make_unique<NoFabric>(); }

// A user's graph names NICs by node; the other generators see each tray of a node as a node.
Generated explicit_graph(const Cluster& cluster, const Trays&) { return make_explicit(cluster); }

template <Generated (*make)(const Cluster&)> Generated of_trays(const Cluster& cluster, const Trays& trays) {
    return make(tray_by_tray(cluster, trays));
}

constexpr std::string_view clos_keys = "oversubscription tiers scalable_unit spines";
constexpr std::string_view dragonfly_keys = "oversubscription shape";

constexpr std::array rows = {
    Topology{"none", "a single node", "", no_fabric},
    Topology{"single-switch", "all NICs at one switch", "", of_trays<make_clos>},
    Topology{"fat-tree", "leaves filled in order, under one to three tiers of switches", clos_keys,
             of_trays<make_clos>},
    Topology{"rail-optimized", "each leaf takes the NICs of one rail, under one to three tiers of switches", clos_keys,
             of_trays<make_clos>},
    Topology{"rail-only", "each rail is a fabric of its own: traffic changes rails over NVLink", clos_keys,
             of_trays<make_clos>},
    Topology{"dragonfly", "groups of routers, all joined to each other; cables between every two groups",
             dragonfly_keys, of_trays<make_dragonfly>},
    Topology{"dragonfly-plus", "groups of leaves and spines; cables between the spines of every two groups",
             dragonfly_keys, of_trays<make_dragonfly>},
    Topology{"torus", "a router for each node, joined to its neighbours in each dimension", "shape",
             of_trays<make_torus>},
    Topology{"dual-plane", "rail-optimized fabrics, as many as `planes` (2), each with its share of every NIC's rate",
             "oversubscription tiers scalable_unit spines planes", of_trays<make_clos>},
    Topology{"explicit", "the devices and cables of `cluster.graph`", "", explicit_graph},
};

constexpr FabricKind named(std::string_view name) {
    return FabricKind(*std::ranges::find(rows, name, &Topology::name));
}

}  // namespace

constinit const FabricKind FabricKind::none = named("none");
constinit const FabricKind FabricKind::single_switch = named("single-switch");
constinit const FabricKind FabricKind::fat_tree = named("fat-tree");
constinit const FabricKind FabricKind::rail_optimized = named("rail-optimized");
constinit const FabricKind FabricKind::rail_only = named("rail-only");
constinit const FabricKind FabricKind::dragonfly = named("dragonfly");
constinit const FabricKind FabricKind::dragonfly_plus = named("dragonfly-plus");
constinit const FabricKind FabricKind::torus = named("torus");
constinit const FabricKind FabricKind::dual_plane = named("dual-plane");
constinit const FabricKind FabricKind::explicit_graph = named("explicit");

bool Topology::takes(std::string_view key) const { return has_word(keys, key); }

std::span<const Topology> topology_kinds() { return rows; }

}  // namespace fabricast::inline topologies
