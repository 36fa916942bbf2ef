#pragma once
// A collective algorithm as its messages: who sends which pieces to whom, in which step, and whether the receiver adds
// or overwrites. One form for every algorithm: a test replays it with symbols, `unroll` lowers it to Transfers.

#include <cstdint>
#include <string>
#include <vector>

namespace fabricast {

// Pieces [first, first + count) of `src` go to the same pieces of `dst`.
struct Message {
    std::uint32_t step = 0;
    std::uint32_t src = 0, dst = 0;
    std::uint32_t first = 0, count = 1;
    bool reduce = false;  // added to what the receiver holds, else in its place
};

// Devices [0, ranks) are ranks, [ranks, ranks + relays) switches that reduce and multicast. All of them name the pieces
// of the call alike. Messages stand in the order of their steps; those of one step read before any of them writes.
struct Program {
    std::string name;
    std::uint32_t ranks = 0;
    std::uint32_t relays = 0;
    std::uint32_t pieces = 0;
    // A rank posts the sends of a step when all that it sent and received in earlier steps is done; else as soon as the
    // data are there.
    bool in_order = false;
    std::vector<Message> messages;
};

// Orders messages by step, keeping the order within one.
void sort_by_step(Program& program);

// Rings: pieces = ranks, piece p ends complete at rank p in reduce-scatter and starts there in all-gather.
Program ring_reduce_scatter(std::uint32_t ranks);
Program ring_all_gather(std::uint32_t ranks);
Program ring_all_reduce(std::uint32_t ranks);
// Chains along the ring from or to `root`, `pieces` at a time.
Program ring_broadcast(std::uint32_t ranks, std::uint32_t root, std::uint32_t pieces);
Program ring_reduce(std::uint32_t ranks, std::uint32_t root, std::uint32_t pieces);

// Two mirrored binary trees, even pieces on the first, odd ones on the second.
Program double_tree_all_reduce(std::uint32_t ranks, std::uint32_t pieces);

// All pieces in every step over doubling distances; ranks beyond a power of two fold onto a neighbour first.
Program recursive_doubling_all_reduce(std::uint32_t ranks);
// Halving reduce-scatter, then doubling all-gather, over the largest power of two (Rabenseifner).
Program halving_doubling_all_reduce(std::uint32_t ranks);

// PAT: each piece along its own binomial tree, far distances first; works for every count of ranks in log2 steps.
Program pat_all_gather(std::uint32_t ranks);
Program pat_reduce_scatter(std::uint32_t ranks);

// Pieces = ranks^2, piece src * ranks + dst. Pairwise: in step i to the rank i ahead; direct: all at once.
Program pairwise_all_to_all(std::uint32_t ranks);
Program direct_all_to_all(std::uint32_t ranks);

// Reduce-scatter inside each node, ring all-reduce between equal local ranks, all-gather inside.
Program hierarchical_all_reduce(std::uint32_t nodes, std::uint32_t per_node);

// Pieces = ranks. Shift: piece r from rank r to the next.
Program shift(std::uint32_t ranks);
Program direct_gather(std::uint32_t ranks, std::uint32_t root);
Program direct_scatter(std::uint32_t ranks, std::uint32_t root);

// One relay, the NVSwitch: it adds what all ranks send, gives piece p to its head p, and multicasts what the head
// returns.
Program nvls_all_reduce(std::uint32_t ranks);
// The relay is the network (SHARP): each local rank gathers its share of the node and sends it up once.
Program collnet_all_reduce(std::uint32_t nodes, std::uint32_t per_node);

}  // namespace fabricast
