#pragma once
// A torus of any number of dimensions: one router for each node, a cable to each neighbour, wrapped around. Routes go
// dimension by dimension the shorter way; of two equal ways (half around an even dimension) the flow's hash takes one.
// A dimension of two has two cables, one of them the wrap-around.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/cluster.hpp"
#include "topologies/switching.hpp"

namespace fabricast {

class Torus {
public:
    // Throws ClusterError where the shape does not hold the nodes. Without a shape the most cubic one is taken.
    explicit Torus(const Cluster& cluster);

    std::uint32_t switch_count() const { return nodes_; }
    std::uint32_t trunk_count() const { return nodes_ * static_cast<std::uint32_t>(sizes_.size()) * 2; }
    std::uint32_t planes() const { return 1; }
    std::uint32_t switch_of(FabricEnd end, std::uint32_t) const { return end.node; }
    Trunk trunk(std::uint32_t index) const;
    std::string switch_name(std::uint32_t index) const { return "router" + std::to_string(index); }
    std::optional<std::uint32_t> find_switch(std::string_view name) const;
    bool route(FabricEnd from, FabricEnd to, std::uint32_t plane, std::uint64_t flow_hash, TrunkRoute& route) const;
    std::uint32_t longest_route() const;
    std::vector<FabricTier> tiers() const;
    bool hashes() const { return true; }

    const std::vector<std::uint32_t>& sizes() const { return sizes_; }  // dimensions of one are left out

private:
    std::uint32_t nodes_ = 1;
    std::vector<std::uint32_t> sizes_;
    std::vector<std::uint32_t> strides_;
    LinkInfo cable_;
};

}  // namespace fabricast
