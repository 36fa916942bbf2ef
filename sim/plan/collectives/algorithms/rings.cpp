#include "sim/plan/collectives/algorithms/rings.hpp"

// Ring algorithms. In step s rank r passes on the piece that it received in step s - 1.

namespace fabricast {

namespace {

void append(Program& to, const Program& from) {
    const std::uint32_t after = to.messages.empty() ? 0 : to.messages.back().step + 1;
    for (Message m : from.messages) {
        m.step += after;
        to.messages.push_back(m);
    }
}

Program chain(std::string name, std::uint32_t ranks, std::uint32_t first, std::uint32_t pieces, bool reduce) {
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

}  // namespace

Program ring_reduce_scatter(std::uint32_t ranks) {
    Program p{.name = "ring reduce-scatter", .ranks = ranks, .pieces = ranks, .messages = {}};
    for (std::uint32_t step = 0; step + 1 < ranks; ++step) {
        for (std::uint32_t r = 0; r < ranks; ++r) {
            // Piece p starts at the rank after its owner and reaches the owner after ranks - 1 hops.
            p.messages.push_back({step, r, (r + 1) % ranks, (r + 2 * ranks - 1 - step) % ranks, 1, true});
        }
    }
    return p;
}

Program ring_all_gather(std::uint32_t ranks) {
    Program p{.name = "ring all-gather", .ranks = ranks, .pieces = ranks, .messages = {}};
    for (std::uint32_t step = 0; step + 1 < ranks; ++step) {
        for (std::uint32_t r = 0; r < ranks; ++r) {
            p.messages.push_back({step, r, (r + 1) % ranks, (r + ranks - step) % ranks, 1, false});
        }
    }
    return p;
}

Program ring_all_reduce(std::uint32_t ranks) {
    Program p = ring_reduce_scatter(ranks);
    p.name = "ring all-reduce";
    append(p, ring_all_gather(ranks));
    return p;
}

Program ring_broadcast(std::uint32_t ranks, std::uint32_t root, std::uint32_t pieces) {
    return chain("ring broadcast", ranks, root, pieces, false);
}

Program ring_reduce(std::uint32_t ranks, std::uint32_t root, std::uint32_t pieces) {
    return chain("ring reduce", ranks, (root + 1) % ranks, pieces, true);
}

Program shift(std::uint32_t ranks) {
    Program p{.name = "shift", .ranks = ranks, .pieces = ranks, .messages = {}};
    for (std::uint32_t r = 0; r < ranks; ++r) {
        p.messages.push_back({0, r, (r + 1) % ranks, r, 1, false});
    }
    return p;
}

Program hierarchical_all_reduce(std::uint32_t nodes, std::uint32_t per_node) {
    const std::uint32_t ranks = nodes * per_node;
    // Piece local * nodes + k: part k, in the ring between the nodes, of the share of local rank `local`.
    Program p{.name = "hierarchical all-reduce", .ranks = ranks, .pieces = ranks, .messages = {}};
    const auto inside = [&](const Program& ring) {
        const std::uint32_t after = p.messages.empty() ? 0 : p.messages.back().step + 1;
        for (const Message& m : ring.messages) {
            for (std::uint32_t node = 0; node < nodes; ++node) {
                const std::uint32_t base = node * per_node;
                p.messages.push_back({after + m.step, base + m.src, base + m.dst, m.first * nodes, nodes, m.reduce});
            }
        }
    };
    inside(ring_reduce_scatter(per_node));
    const std::uint32_t after = p.messages.empty() ? 0 : p.messages.back().step + 1;
    for (const Message& m : ring_all_reduce(nodes).messages) {
        for (std::uint32_t local = 0; local < per_node; ++local) {
            p.messages.push_back({after + m.step, m.src * per_node + local, m.dst * per_node + local,
                                  local * nodes + m.first, 1, m.reduce});
        }
    }
    inside(ring_all_gather(per_node));
    return p;
}

}  // namespace fabricast
