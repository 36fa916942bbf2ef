#pragma once
// Go-back-N and selective repeat, for when packets may be lost: what a sender keeps until it is acknowledged, and what
// a receiver accepts. Sequence numbers are 32 bits wide here; packets carry the low 16.

#include <deque>

#include "sim/engines/packet/frame.hpp"
#include "sim/engines/packet/ring.hpp"

namespace fabricast::packet {

// A piece that is not yet fully acknowledged.
struct Unacked {
    std::uint32_t first = 0;  // sequence number of its first packet
    std::uint32_t packets = 0;
    std::int64_t bytes = 0;
    std::uint16_t end_bits = 0;
};

struct Recovery {
    // Sending side.
    std::deque<Unacked> pieces;
    std::uint32_t replay = 0;  // index in `pieces` of the next to be sent again; pieces.size(): none
    std::uint32_t acked = 0;   // all packets before this one have arrived
    std::uint32_t timer_saw = 0;
    bool timer = false;
    Fifo<std::uint32_t> again;  // single packets that the receiver has asked for
    std::int64_t resent = 0, timeouts = 0;
    // Receiving side of selective repeat: end bits of what came early, plus one; 0: missing.
    std::deque<std::uint16_t> early;
};

// The full sequence number of a packet, which is near `expected`.
inline std::uint32_t widen(std::uint16_t psn, std::uint32_t expected) {
    return expected + static_cast<std::uint32_t>(static_cast<std::int32_t>(
                          static_cast<std::int16_t>(psn - static_cast<std::uint16_t>(expected))));
}

}  // namespace fabricast::packet
