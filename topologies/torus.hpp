#pragma once
// A torus with any number of dimensions: one router for each node and a cable to each neighbour, with wrap-around.
// Routes go dimension by dimension in the shorter direction; if both are equal (half around an even dimension), the
// flow's hash chooses. A dimension of size two has two cables, one of them the wrap-around.

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
    // Without a shape, takes the most cubic one. Throws ClusterError if the shape does not have exactly as many routers
    // as there are nodes.
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

    const std::vector<std::uint32_t>& sizes() const { return sizes_; }  // without dimensions of size one

private:
    std::uint32_t nodes_ = 1;
    std::vector<std::uint32_t> sizes_;
    std::vector<std::uint32_t> strides_;
    LinkInfo cable_;
};

}  // namespace fabricast
