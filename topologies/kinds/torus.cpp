// A torus with any number of dimensions: one router for each node and a cable to each neighbour, with wrap-around.
// Routes go dimension by dimension in the shorter direction; if both are equal (half around an even dimension), the
// flow's hash chooses. A dimension of size two has two cables, one of them the wrap-around.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "topologies/cluster.hpp"
#include "topologies/fabric_generator.hpp"

namespace fabricast::inline topologies {

namespace {

// The sizes a * b * c = nodes with the least a + b + c.
std::array<std::uint32_t, 3> most_cubic(std::uint32_t nodes) {
    std::array<std::uint32_t, 3> best = {1, 1, nodes};
    for (std::uint32_t a = 1; static_cast<std::uint64_t>(a) * a * a <= nodes; ++a) {
        for (std::uint32_t b = a; nodes % a == 0 && static_cast<std::uint64_t>(a) * b * b <= nodes; ++b) {
            const std::uint32_t c = nodes / a / b;
            if (nodes % (a * b) == 0 && a + b + c < best[0] + best[1] + best[2]) { best = {a, b, c}; }
        }
    }
    return best;
}

class Torus : public FabricGenerator {
public:
    // Without a shape, takes the most cubic one. Throws ClusterError if the shape has another number of routers.
    explicit Torus(const Cluster& cluster)
        : nodes_(cluster.nodes), cable_(trunk_cable(cluster.fabric, LinkClass::torus)) {
        const FabricSpec& fabric = cluster.fabric;
        std::uint64_t product = 1;
        const auto add = [&](std::uint64_t size) {
            if (size > 1) {
                sizes_.push_back(static_cast<std::uint32_t>(size));
                strides_.push_back(static_cast<std::uint32_t>(product));
            }
            product *= size;
        };
        if (fabric.shape.empty()) {
            for (const std::uint32_t size : most_cubic(nodes_)) { add(size); }
        }
        for (const int size : fabric.shape) { add(static_cast<std::uint64_t>(size > 0 ? size : 0)); }
        if (product != nodes_) {
            throw ClusterError("the torus' shape holds {} nodes, but the cluster has {}", product, nodes_);
        }
    }

    std::uint32_t switch_count() const override { return nodes_; }
    std::uint32_t trunk_count() const override { return nodes_ * static_cast<std::uint32_t>(sizes_.size()) * 2; }
    std::uint32_t switch_of(FabricEnd end, std::uint32_t) const override { return end.node; }
    // Trunk (node * dimensions + dimension) * 2 goes to the next node in that dimension, the one after it to the
    // previous.
    Trunk trunk(std::uint32_t index) const override {
        const auto dimensions = static_cast<std::uint32_t>(sizes_.size());
        const std::uint32_t node = index / 2 / dimensions;
        const std::uint32_t d = index / 2 % dimensions;
        const std::uint32_t place = node / strides_[d] % sizes_[d];
        const std::uint32_t next = (place + (index % 2 == 0 ? 1 : sizes_[d] - 1)) % sizes_[d];
        return {.from = node, .to = node + next * strides_[d] - place * strides_[d], .cables = 1, .info = cable_};
    }
    std::string switch_name(std::uint32_t index) const override { return "router" + std::to_string(index); }
    std::optional<std::uint32_t> find_switch(std::string_view name) const override {
        const auto number = number_after(name, "router");
        return number && *number < nodes_ ? number : std::nullopt;
    }
    bool route(FabricEnd from, FabricEnd to, std::uint32_t, std::uint64_t flow_hash, TrunkRoute& route) const override {
        const auto dimensions = static_cast<std::uint32_t>(sizes_.size());
        std::uint32_t at = from.node;
        for (std::uint32_t d = 0; d < dimensions; ++d) {
            const std::uint32_t size = sizes_[d];
            const std::uint32_t target = to.node / strides_[d] % size;
            std::uint32_t place = at / strides_[d] % size;
            const std::uint32_t up = (target + size - place) % size;
            const bool down = 2 * up > size || (2 * up == size && pick(flow_hash, d, 2) == 1);
            for (std::uint32_t hops = down ? size - up : up; hops > 0; --hops) {
                route.add((at * dimensions + d) * 2 + (down ? 1 : 0), cable_.latency);
                const std::uint32_t next = (place + (down ? size - 1 : 1)) % size;
                at = at + next * strides_[d] - place * strides_[d];
                place = next;
            }
        }
        return true;
    }
    std::uint32_t longest_route() const override {
        std::uint32_t hops = 0;
        for (const std::uint32_t size : sizes_) { hops += size / 2; }
        return hops;
    }
    std::vector<FabricTier> tiers() const override {
        return {{"router", nodes_, static_cast<std::uint64_t>(nodes_) * sizes_.size()}};
    }
    // Every ring along the longest dimension crosses the cut with two cables (one wraps around). No other cut has
    // fewer.
    std::optional<double> trunks_between_halves() const override {
        const std::uint32_t longest = sizes_.empty() ? 1 : std::ranges::max(sizes_);
        return 2.0 * nodes_ / longest * cable_.capacity;
    }

private:
    std::uint32_t nodes_ = 1;
    std::vector<std::uint32_t> sizes_;  // without dimensions of size one
    std::vector<std::uint32_t> strides_;
    LinkInfo cable_;
};

}  // namespace

std::unique_ptr<const FabricGenerator> make_torus(const Cluster& cluster) { return std::make_unique<Torus>(cluster); }

}  // namespace fabricast::inline topologies
