#pragma once
// A collective algorithm as its messages: who sends which pieces to whom, in which step, and whether the receiver adds
// or overwrites. All algorithms have this form: a test replays it with symbols, `unroll` lowers it to Transfers.

#include <cstdint>
#include <string>
#include <vector>

namespace fabricast {

// Pieces [first, first + count) of `src` go to the same pieces of `dst`.
struct Message {
    std::uint32_t step = 0;
    std::uint32_t src = 0, dst = 0;
    std::uint32_t first = 0, count = 1;
    bool reduce = false;  // true: added to the receiver's data; false: replaces them
};

// Devices [0, ranks) are ranks, [ranks, ranks + relays) are switches that reduce and multicast. All devices number the
// pieces of the call alike. Messages are sorted by step; all messages of a step read their data before any of them
// writes.
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

}  // namespace fabricast
