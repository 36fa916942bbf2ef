#pragma once
// The kinds of fabric. A kind is a row of the table in topology.cpp; its generator is a file of its own.

#include <memory>
#include <span>
#include <string_view>

namespace fabricast::inline topologies {

struct Cluster;
struct Trays;
class FabricGenerator;

struct Topology {
    std::string_view name;    // as in scenarios: "rail-optimized"
    std::string_view wiring;  // for the documentation: how switches and NICs are joined
    std::string_view keys;    // keys of `cluster.fabric` that only some kinds take, separated by blanks
    // Throws ClusterError if the cluster cannot be wired so.
    std::unique_ptr<const FabricGenerator> (*generator)(const Cluster& cluster, const Trays& trays);

    bool takes(std::string_view key) const;
};

// One row of the table. The named ones are those that other code asks for.
class FabricKind {
public:
    constexpr explicit FabricKind(const Topology& row) : row_(&row) {}
    const Topology* operator->() const { return row_; }
    bool operator==(const FabricKind&) const = default;

    static const FabricKind none;  // a single node
    static const FabricKind single_switch, fat_tree, rail_optimized, rail_only, dual_plane, dragonfly, dragonfly_plus,
        torus, explicit_graph;

private:
    const Topology* row_;
};

inline std::string_view to_string(FabricKind kind) { return kind->name; }

// In the order of the documentation.
std::span<const Topology> topology_kinds();

}  // namespace fabricast::inline topologies
