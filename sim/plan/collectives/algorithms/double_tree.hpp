#pragma once
// NCCL's double binary tree: two trees over the same nodes. Every node is an inner node of at most one of them, so each
// tree carries half of the data at full rate. Source: NVIDIA/nccl src/graph/trees.cc.

#include <bit>
#include <cstdint>
#include <optional>

namespace fabricast::inline collectives {

// Parent of `node` in the first tree over `nodes`: with b the lowest set bit, (node ^ b) | 2b, or node ^ b if that is
// not a valid node. Node 0 is the root.
constexpr std::optional<std::uint32_t> first_tree_parent(std::uint32_t node, std::uint32_t nodes) {
    if (node == 0) { return std::nullopt; }
    const std::uint32_t bit = node & (~node + 1);
    const std::uint32_t up = (node ^ bit) | (bit << 1U);
    return up < nodes ? up : node ^ bit;
}

// The second tree mirrors the first one (even number of nodes) or shifts it by one (odd number).
constexpr std::optional<std::uint32_t> tree_parent(std::uint32_t tree, std::uint32_t node, std::uint32_t nodes) {
    if (tree == 0) { return first_tree_parent(node, nodes); }
    const bool mirror = nodes % 2 == 0;
    const std::uint32_t place = mirror ? nodes - 1 - node : (node + nodes - 1) % nodes;
    const std::optional<std::uint32_t> up = first_tree_parent(place, nodes);
    if (!up) { return std::nullopt; }
    return mirror ? nodes - 1 - *up : (*up + 1) % nodes;
}

// Hops from the deepest node to the root.
constexpr std::uint32_t tree_depth(std::uint32_t nodes) {
    return nodes < 2 ? 0 : static_cast<std::uint32_t>(std::bit_width(nodes - 1));
}

// Messages of one chunk at the busiest node of the double tree, both trees and both ways: as an inner node it has two
// children and a parent, of which each chunk's tree shows it half the time.
constexpr double tree_messages(std::uint32_t nodes) { return nodes <= 2 ? 2 : nodes == 3 ? 3 : 4; }

}  // namespace fabricast::inline collectives
