#pragma once
// One port type for every link: a queue, a wire, and a policy that says when the next packet may start. PFC, credits
// and the lack of both differ in three places only: what a signal from the receiver changes (apply), what holds a
// packet back (blocked), and what the receive buffer does when a packet comes and goes (receive_buffers.inl). Lanes
// that share a wire are ports beside each other (lanes.hpp).

#include <algorithm>
#include <bit>

#include "sim/engines/packet/frame.hpp"
#include "sim/engines/packet/options.hpp"
#include "sim/engines/packet/ring.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::packet {

enum class Control : std::uint8_t { none, pfc, credits, lossy };

// What the receiver of a link tells its sender.
struct Signal {
    enum Kind : std::uint32_t { credit, pause, resume };
    Ps time = 0;
    std::int32_t value = 0;  // credit: bytes of the packet that has gone
    Kind kind = credit;
};

// Time on the wire at `inverse` ps per byte (2^24 is one), rounded up to the picosecond for each packet; up to 2^-14 ps
// are taken for the rounding of the rate.
inline Ps wire_time(std::uint64_t bytes, std::uint64_t inverse) {
    return static_cast<Ps>((bytes * inverse + ((1U << 24U) - 1024)) >> 24U);
}

// What a packet costs of its receiver's credits. InfiniBand counts 64 B of whole packets (IBTA Vol. 1 section 7.9),
// NVLink flits, PCIe 16 B of data and the headers apart (PCI-SIG Base 5.0 section 2.6.1.2).
struct CreditForm {
    std::uint32_t payload = 1U << 31U;                                          // of one of the link's own packets
    std::uint32_t header = 0;                                                   // bytes that each holds beside it
    std::uint32_t granule = 1;                                                  // bytes of a credit, a power of two
    bool headers = false;                                                       // headers have credits of their own
    int shift = std::has_single_bit(payload) ? std::countr_zero(payload) : -1;  // instead of a division

    std::uint32_t packets(std::uint32_t bytes) const {
        return shift >= 0 ? (bytes + (payload - 1)) >> static_cast<unsigned>(shift) : (bytes + payload - 1) / payload;
    }
    std::int64_t cost(std::uint32_t bytes) const {
        return (std::int64_t{bytes} + std::int64_t{header} * packets(bytes) + granule - 1) & -std::int64_t{granule};
    }
};

// The sending side of a directed link, or of one lane of it: two cache lines, the first all that a packet touches which
// need not wait.
struct alignas(64) Port {
    Ps free = 0;  // when the wire is idle again
    Ps latency = 0;
    std::uint64_t inverse = 0;  // ps per byte, 2^24 of it is one
    LinkRing<Frame> wire;
    std::int64_t sent_bytes = 0;
    std::uint32_t to_node = 0;
    std::uint32_t from_node = 0;
    std::uint16_t slot = 0;  // among its node's ports
    Control control = Control::none;
    bool paused : 1 = false;
    bool down : 1 = false;
    bool active : 1 = false;  // a queue or a sender that waits
    bool serves : 1 = false;  // its node has services
    bool simple : 1 = true;   // its node has no services and its wire no other lanes
    bool marks : 1 = false;   // an egress queue with ECN
    std::uint8_t form = 0;    // into Network::forms; 0: credits are bytes
    std::uint8_t lanes = 1;   // that share the wire: so many ports, one after the other
    Flag has_signal;          // there have been signals

    alignas(64) Fifo<Waiting> queue;
    LinkRing<Signal> signals;
    std::int64_t queued_bytes = 0;
    std::int64_t credits = 0;
    std::uint32_t sender = none;   // flows that begin here
    std::uint32_t reverse = none;  // the port of the other direction

    Ps serialization(std::uint32_t bytes) const { return wire_time(bytes, inverse); }
};

// The receiving side: who occupies the buffer behind the link. Written by the node that the link leads to.
struct alignas(64) Ingress {
    std::int64_t bytes = 0;     // in the shared part
    std::int64_t over = 0;      // in the headroom
    std::int64_t headroom = 0;  // its size
    Ps return_latency = 0;      // a signal's way back to the sender
    Ps reaction = 0;            // a paused sender's
    Ps last_credit = 0;         // credits of one link return in order
    bool paused = false;
    bool unbounded = false;  // memory behind it: never full
    std::int64_t most = 0;   // bytes held at once
    std::int64_t headroom_most = 0;
    std::int64_t drops = 0, dropped_bytes = 0;
    std::int64_t pauses = 0, refreshes = 0;
    Ps told_at = 0;             // when the last pause frame left
    bool will_refresh = false;  // a timer runs
};

static_assert(sizeof(Port) == 128);

// What a port needs rarely, and what is only counted. Written by the sending node. What a packet that queues touches
// comes first and lies in one cache line.
struct alignas(32) PortCounts {
    std::int64_t most_queued = 0;
    std::int64_t marks = 0;
    float k_min = 0, k_max = 0;   // bytes
    std::int32_t since_mark = 0;  // packets that could have been marked
    std::uint8_t lane = 0;
    bool ignores = false;        // pauses, since a watchdog barked
    float loss = 0;              // share of packets that arrive corrupted
    std::int32_t headers = 0;    // credits
    std::uint32_t turns = none;  // of the lanes, into Network::turns
    Ps paused_since = 0;
    Ps paused_until = 0;        // unless refreshed
    Ps starved_until = -1;      // when the last packet that had no credit got it
    std::int64_t watchdog = 0;  // times a pause was overridden
    Ps paused = 0;              // by its receiver
    Ps starved = 0;             // had a packet but no credit
};

}  // namespace fabricast::packet
