#pragma once
// A collective algorithm as its messages: who sends which pieces to whom, in which step, and whether the receiver adds
// or overwrites. All algorithms have this form: a test replays it with symbols, `unroll` lowers it to Transfers,
// which any engine can replay without knowing what a pipeline is.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sim/engines/common/schedule.hpp"

namespace fabricast::inline collectives {

// Pieces [first, first + count) of `src` go to the same pieces of `dst`.
struct Message {
    std::uint32_t step = 0;
    std::uint32_t src = 0, dst = 0;
    std::uint32_t first = 0, count = 1;
    bool reduce = false;  // true: added to the receiver's data; false: replaces them
};

// Devices [0, ranks) are ranks, [ranks, ranks + relays) are switches that reduce and multicast. All devices number the
// pieces of the call alike. Messages are sorted by step; all of a step read their data before any writes.
struct Program {
    std::string name;
    std::uint32_t ranks = 0;
    std::uint32_t relays = 0;
    std::uint32_t pieces = 0;
    // true: a rank posts the sends of a step when everything that it sent and received in earlier steps is done; false:
    // as soon as the data have arrived.
    bool in_order = false;
    std::vector<Message> messages;
};

// Rings of as many pieces as ranks: piece p ends complete at rank p in reduce-scatter and starts there in all-gather.
Program ring_reduce_scatter(std::uint32_t ranks);
Program ring_all_gather(std::uint32_t ranks);
Program ring_all_reduce(std::uint32_t ranks);
// Reduce-scatter inside each node, ring all-reduce between the GPUs of equal local rank, all-gather inside each node.
Program hierarchical_all_reduce(std::uint32_t nodes, std::uint32_t per_node);

// Every step exchanges all pieces, over doubling distances; ranks beyond the largest power of two fold first.
Program recursive_doubling_all_reduce(std::uint32_t ranks);
// Halving reduce-scatter, then doubling all-gather, over the largest power of two (Rabenseifner).
Program halving_doubling_all_reduce(std::uint32_t ranks);

// PAT: each piece along its own binomial tree, far distances first; for any number of ranks, in log2(ranks) steps.
Program pat_all_gather(std::uint32_t ranks);
Program pat_reduce_scatter(std::uint32_t ranks);

// There are ranks^2 pieces; src sends piece src * ranks + dst to dst: in step i every rank sends to the rank i ahead.
Program pairwise_all_to_all(std::uint32_t ranks);

// What the messages of a program become.
struct Unrolling {
    std::function<double(std::uint32_t piece)> bytes;                                      // of one piece
    std::function<Connection(std::uint32_t src, std::uint32_t dst)> connection;            // between two devices
    std::function<Duration(std::uint32_t src, std::uint32_t dst, double bytes)> overhead;  // before a message
};

// Adds a Transfer for each message. Each depends on the messages that brought its data (and, if in_order, on its
// sender's earlier steps); the first ones depend on `after`. Messages between the same two devices share a connection.
// Returns the transfers into or out of each device in the last step that it took part in.
std::vector<OpId> unroll(const Program& program, const Unrolling& as, Schedule& schedule,
                         std::span<const Schedule::Dependency> after);

}  // namespace fabricast::inline collectives
