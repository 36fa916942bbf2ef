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
#include "topologies/fabric_generator.hpp"

namespace fabricast::inline topologies {

class Torus : public FabricGenerator {
public:
    // Without a shape, takes the most cubic one. Throws ClusterError if the shape has another number of routers.
    explicit Torus(const Cluster& cluster);

    std::uint32_t switch_count() const override { return nodes_; }
    std::uint32_t trunk_count() const override { return nodes_ * static_cast<std::uint32_t>(sizes_.size()) * 2; }
    std::uint32_t switch_of(FabricEnd end, std::uint32_t) const override { return end.node; }
    Trunk trunk(std::uint32_t index) const override;
    std::string switch_name(std::uint32_t index) const override { return "router" + std::to_string(index); }
    std::optional<std::uint32_t> find_switch(std::string_view name) const override;
    bool route(FabricEnd from, FabricEnd to, std::uint32_t plane, std::uint64_t flow_hash,
               TrunkRoute& route) const override;
    std::uint32_t longest_route() const override;
    std::vector<FabricTier> tiers() const override;
    std::optional<double> trunks_between_halves() const override;

private:
    std::uint32_t nodes_ = 1;
    std::vector<std::uint32_t> sizes_;  // without dimensions of size one
    std::vector<std::uint32_t> strides_;
    LinkInfo cable_;
};

}  // namespace fabricast::inline topologies
