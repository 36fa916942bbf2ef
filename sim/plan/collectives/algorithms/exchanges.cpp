#include "sim/plan/collectives/algorithms/exchanges.hpp"

// Exchanges among all ranks or with one root, and reductions in a switch.

namespace fabricast {

Program pairwise_all_to_all(std::uint32_t ranks) {
    Program p{.name = "pairwise all-to-all", .ranks = ranks, .pieces = ranks * ranks, .in_order = true, .messages = {}};
    for (std::uint32_t ahead = 1; ahead < ranks; ++ahead) {
        for (std::uint32_t r = 0; r < ranks; ++r) {
            const std::uint32_t peer = (r + ahead) % ranks;
            p.messages.push_back({ahead - 1, r, peer, r * ranks + peer, 1, false});
        }
    }
    return p;
}

Program direct_all_to_all(std::uint32_t ranks) {
    Program p = pairwise_all_to_all(ranks);
    p.name = "direct all-to-all";
    p.in_order = false;
    for (Message& m : p.messages) {
        m.step = 0;
    }
    return p;
}

Program direct_gather(std::uint32_t ranks, std::uint32_t root) {
    Program p{.name = "direct gather", .ranks = ranks, .pieces = ranks, .messages = {}};
    for (std::uint32_t r = 0; r < ranks; ++r) {
        if (r != root) {
            p.messages.push_back({0, r, root, r, 1, false});
        }
    }
    return p;
}

Program direct_scatter(std::uint32_t ranks, std::uint32_t root) {
    Program p{.name = "direct scatter", .ranks = ranks, .pieces = ranks, .messages = {}};
    for (std::uint32_t r = 0; r < ranks; ++r) {
        if (r != root) {
            p.messages.push_back({0, root, r, r, 1, false});
        }
    }
    return p;
}

Program nvls_all_reduce(std::uint32_t ranks) {
    Program p{.name = "NVLS all-reduce", .ranks = ranks, .relays = 1, .pieces = ranks, .messages = {}};
    const std::uint32_t nvswitch = ranks;
    for (std::uint32_t r = 0; r < ranks; ++r) {
        p.messages.push_back({0, r, nvswitch, 0, ranks, true});
    }
    for (std::uint32_t head = 0; head < ranks; ++head) {
        p.messages.push_back({1, nvswitch, head, head, 1, false});
    }
    for (std::uint32_t head = 0; head < ranks; ++head) {
        p.messages.push_back({2, head, nvswitch, head, 1, false});
    }
    for (std::uint32_t r = 0; r < ranks; ++r) {
        p.messages.push_back({3, nvswitch, r, 0, ranks, false});
    }
    return p;
}

Program collnet_all_reduce(std::uint32_t nodes, std::uint32_t per_node) {
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
    for (std::uint32_t r = 0; r < ranks; ++r) {
        p.messages.push_back({1, r, network, r % per_node, 1, true});
    }
    for (std::uint32_t r = 0; r < ranks; ++r) {
        p.messages.push_back({2, network, r, r % per_node, 1, false});
    }
    every_pair(3, false);
    return p;
}

}  // namespace fabricast
