#pragma once
// Senders that keep a window: what is in flight, and what its packets met on their way. HPCC, Swift and
// NSCC hear of every packet.

#include "sim/engines/packet/frame.hpp"

namespace fabricast::inline packet {

// What a switch's port writes into a packet that leaves it (INT; Li et al., HPCC, SIGCOMM'19, section 4.1).
struct HopRecord {
    Ps at = 0;
    std::int64_t sent = 0;    // bytes that the port has sent, with this packet
    std::int64_t queued = 0;  // bytes that still wait
    double rate = 0;          // of the port, bytes per second
    std::uint32_t port = none;
};

// One packet under way. `hops`: records written so far.
struct InFlight {
    static constexpr std::size_t most_hops = 5;  // ports of switches on the way across three tiers
    Ps sent = 0;
    std::uint32_t hops = 0;
    bool marked = false;  // ECN, as its receiver saw it
    HopRecord hop[most_hops] = {};
};

struct Window {
    std::int64_t bytes = 0;     // in flight
    std::uint32_t packets = 0;  // of them

    // Whether another packet may be sent in a window of `size` bytes of which `most` packets are recorded. One may
    // always be under way: otherwise nothing would be heard any more.
    bool open(double size, std::uint32_t most) const {
        return packets == 0 || (packets < most && static_cast<double>(bytes) < size);
    }
    void sent(std::uint32_t size) {
        bytes += size;
        ++packets;
    }
    // Arrived, or given up for lost.
    void left(std::uint32_t size) {
        if (packets == 0) { return; }
        --packets;
        bytes = packets == 0 ? 0 : bytes - size;
    }
};

}  // namespace fabricast::inline packet
