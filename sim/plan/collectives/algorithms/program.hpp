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

}  // namespace fabricast
