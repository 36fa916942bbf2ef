#pragma once
// NCCL's algorithms message by message: the house plans them as pipelines, tests replay these with symbols and hold
// both forms against each other.

#include <algorithm>
#include <string>
#include <utility>

#include "sim/plan/collectives/algorithms/double_tree.hpp"
#include "sim/plan/collectives/algorithms/program.hpp"

namespace fabricast::test {

inline Program chain(std::string name, std::uint32_t ranks, std::uint32_t first, std::uint32_t pieces, bool reduce) {
    Program p{.name = std::move(name), .ranks = ranks, .pieces = pieces, .messages = {}};
    for (std::uint32_t step = 0; step + 1 < ranks - 1 + pieces; ++step) {
        for (std::uint32_t hop = 0; hop + 1 < ranks; ++hop) {
            if (step >= hop && step - hop < pieces) {
                p.messages.push_back({step, (first + hop) % ranks, (first + hop + 1) % ranks, step - hop, 1, reduce});
            }
        }
    }
    return p;
}

// Chains along the ring from or to `root`; the data are cut into `pieces`.
inline Program ring_broadcast(std::uint32_t ranks, std::uint32_t root, std::uint32_t pieces) {
    return chain("ring broadcast", ranks, root, pieces, false);
}

inline Program ring_reduce(std::uint32_t ranks, std::uint32_t root, std::uint32_t pieces) {
    return chain("ring reduce", ranks, (root + 1) % ranks, pieces, true);
}

inline Program shift(std::uint32_t ranks) {
    Program p{.name = "shift", .ranks = ranks, .pieces = ranks, .messages = {}};
    for (std::uint32_t r = 0; r < ranks; ++r) { p.messages.push_back({0, r, (r + 1) % ranks, r, 1, false}); }
    return p;
}

inline std::uint32_t level(std::uint32_t tree, std::uint32_t node, std::uint32_t nodes) {
    std::uint32_t hops = 0;
    for (auto up = tree_parent(tree, node, nodes); up; up = tree_parent(tree, *up, nodes)) { ++hops; }
    return hops;
}

// Two mirrored binary trees: even pieces take the first one, odd pieces the second.
inline Program double_tree_all_reduce(std::uint32_t ranks, std::uint32_t pieces) {
    Program p{.name = "double binary tree all-reduce", .ranks = ranks, .pieces = pieces, .messages = {}};
    for (std::uint32_t piece = 0; piece < pieces; ++piece) {
        const std::uint32_t tree = piece % 2;
        std::uint32_t depth = 0;
        for (std::uint32_t r = 0; r < ranks; ++r) { depth = std::max(depth, level(tree, r, ranks)); }
        for (std::uint32_t r = 0; r < ranks; ++r) {
            const auto up = tree_parent(tree, r, ranks);
            if (!up) { continue; }
            const std::uint32_t hops = level(tree, r, ranks);
            const std::uint32_t start = piece / 2;  // pieces follow each other
            p.messages.push_back({start + depth - hops, r, *up, piece, 1, true});
            p.messages.push_back({start + depth + hops - 1, *up, r, piece, 1, false});
        }
    }
    std::ranges::stable_sort(p.messages, {}, &Message::step);
    return p;
}

inline Program direct_all_to_all(std::uint32_t ranks) {
    Program p = pairwise_all_to_all(ranks);
    p.name = "direct all-to-all";
    p.in_order = false;
    for (Message& m : p.messages) { m.step = 0; }
    return p;
}

inline Program direct_gather(std::uint32_t ranks, std::uint32_t root) {
    Program p{.name = "direct gather", .ranks = ranks, .pieces = ranks, .messages = {}};
    for (std::uint32_t r = 0; r < ranks; ++r) {
        if (r != root) { p.messages.push_back({0, r, root, r, 1, false}); }
    }
    return p;
}

inline Program direct_scatter(std::uint32_t ranks, std::uint32_t root) {
    Program p{.name = "direct scatter", .ranks = ranks, .pieces = ranks, .messages = {}};
    for (std::uint32_t r = 0; r < ranks; ++r) {
        if (r != root) { p.messages.push_back({0, root, r, r, 1, false}); }
    }
    return p;
}

inline Program nvls_all_reduce(std::uint32_t ranks) {
    Program p{.name = "NVLS all-reduce", .ranks = ranks, .relays = 1, .pieces = ranks, .messages = {}};
    const std::uint32_t nvswitch = ranks;
    for (std::uint32_t r = 0; r < ranks; ++r) { p.messages.push_back({0, r, nvswitch, 0, ranks, true}); }
    for (std::uint32_t head = 0; head < ranks; ++head) { p.messages.push_back({1, nvswitch, head, head, 1, false}); }
    for (std::uint32_t head = 0; head < ranks; ++head) { p.messages.push_back({2, head, nvswitch, head, 1, false}); }
    for (std::uint32_t r = 0; r < ranks; ++r) { p.messages.push_back({3, nvswitch, r, 0, ranks, false}); }
    return p;
}

inline Program collnet_all_reduce(std::uint32_t nodes, std::uint32_t per_node) {
    const std::uint32_t ranks = nodes * per_node;
    Program p{.name = "CollNet all-reduce", .ranks = ranks, .relays = 1, .pieces = per_node, .messages = {}};
    const std::uint32_t network = ranks;
    const auto every_pair = [&](std::uint32_t step, bool to_head) {
        for (std::uint32_t node = 0; node < nodes; ++node) {
            for (std::uint32_t head = 0; head < per_node; ++head) {
                for (std::uint32_t peer = 0; peer < per_node; ++peer) {
                    const std::uint32_t a = node * per_node + head;
                    const std::uint32_t b = node * per_node + peer;
                    if (head != peer) {
                        p.messages.push_back({step, to_head ? b : a, to_head ? a : b, head, 1, to_head});
                    }
                }
            }
        }
    };
    every_pair(0, true);
    for (std::uint32_t r = 0; r < ranks; ++r) { p.messages.push_back({1, r, network, r % per_node, 1, true}); }
    for (std::uint32_t r = 0; r < ranks; ++r) { p.messages.push_back({2, network, r, r % per_node, 1, false}); }
    every_pair(3, false);
    return p;
}

}  // namespace fabricast::test
