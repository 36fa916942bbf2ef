#pragma once
// One port type for every link: a queue, a wire, and a policy that says when the next packet may start. PFC, credits
// and the lack of both differ in three places only: what a signal from the receiver changes (apply), what holds a
// packet back (blocked), and what the receive buffer does when a packet comes and goes (flow_control.hpp,
// arriving.hpp). Lanes that share a wire are consecutive ports (lanes.hpp).

#include <atomic>
#include <bit>

#include "sim/engines/packet/frame.hpp"
#include "sim/engines/packet/options.hpp"
#include "sim/engines/packet/ring.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline packet {

enum class Control : std::uint8_t { none, pfc, credits, lossy };

// What the receiver of a link tells its sender.
struct Signal {
    enum Kind : std::uint32_t { credit, pause, resume };
    Ps time = 0;
    std::int32_t value = 0;  // credit: bytes of the packet that has left the buffer
    Kind kind = credit;

    // The sender may look at the time of a signal that is not due while the receiver puts another before it.
    [[gnu::always_inline]] Ps due() const {
        return std::atomic_ref(const_cast<Ps&>(time)).load(std::memory_order_relaxed);
    }
    void become(const Signal& other) {
        std::atomic_ref(time).store(other.time, std::memory_order_relaxed);
        value = other.value;
        kind = other.kind;
    }
};

// Time on the wire at `inverse` / 2^24 ps per byte, rounded up to the picosecond for each packet. A fraction of up to
// 2^-14 ps is not rounded up: it comes from the rounding of the rate.
inline Ps wire_time(std::uint64_t bytes, std::uint64_t inverse) {
    return static_cast<Ps>((bytes * inverse + ((1U << 24U) - 1024)) >> 24U);
}

// What a packet takes of its receiver's credits. InfiniBand counts whole packets in units of 64 B (IBTA Vol. 1 section
// 7.9), NVLink flits, PCIe data in units of 16 B, and headers separately (PCI-SIG Base 5.0 section 2.6.1.2).
struct CreditForm {
    std::uint32_t payload = 1U << 31U;  // payload of one of the link's own packets
    std::uint32_t header = 0;           // buffer bytes that each of these takes on top of it
    std::uint32_t granule = 1;          // bytes of one credit, a power of two
    bool headers = false;               // headers have credits of their own
    // Instead of a division where packets have headers: there `payload` is a power of two.
    unsigned shift = header > 0 ? static_cast<unsigned>(std::countr_zero(payload)) : 0;

    std::uint32_t packets(std::uint32_t bytes) const { return (bytes + payload - 1) / payload; }
    std::int64_t cost(std::uint32_t bytes) const {
        return (bytes + header * ((bytes + payload - 1) >> shift) + granule - 1) & -granule;
    }
};

// The sending side of a directed link or lane: two cache lines, of which a packet that need not wait touches one. They
// are a pair that processors fetch together, so that none is half another thread's port.
struct alignas(128) Port {
    Ps free = 0;  // when the wire is idle again
    Ps latency = 0;
    std::uint64_t inverse = 0;  // ps per byte, times 2^24
    LinkRing<Frame> wire;
    std::int64_t sent_bytes = 0;
    std::uint32_t to_node = 0;
    std::uint32_t from_node = 0;
    Control control = Control::none;
    bool paused : 1 = false;
    bool down : 1 = false;
    bool active : 1 = false;   // its queue or its sender has something waiting
    bool serves : 1 = false;   // its node has services
    bool simple : 1 = true;    // its node has no services and its wire no other lanes
    bool marks : 1 = false;    // an egress queue with ECN
    bool headers : 1 = false;  // headers have credits of their own
    std::uint8_t form = 0;     // into Network::forms; 0: credits are bytes
    std::uint8_t lanes = 1;    // number of consecutive ports that share the wire
    // Set by the receiver's thread, never cleared; the sender's thread sees it one window later at the latest.
    std::atomic<bool> signalled{false};

    alignas(64) Fifo<Waiting> queue;
    LinkRing<Signal> signals;
    std::int64_t queued_bytes = 0;
    std::int64_t credits = 0;
    std::uint32_t sender = none;   // into Shared::senders: the flows that begin here
    std::uint32_t active_bit = 0;  // into Shared::active

    Ps serialization(std::uint32_t bytes) const { return wire_time(bytes, inverse); }
    [[gnu::always_inline]] void signal(const Signal& signal) {
        signals.push(signal);
        signalled.store(true, std::memory_order_relaxed);
    }
};

// The receiving side: what occupies the link's receive buffer. Written by the node that the link leads to.
struct alignas(128) Ingress {
    std::int64_t bytes = 0;  // held in the shared part
    // Since a recording began: the most of them, and how close they came to the threshold of a pause.
    std::int64_t most = 0;
    double least_slack = 0;
    std::int64_t over = 0;      // held in the headroom
    std::int64_t headroom = 0;  // its size
    Ps return_latency = 0;      // latency of a signal to the sender
    Ps reaction = 0;            // reaction time of a paused sender
    Ps last_credit = 0;         // credits of one link return in order
    bool paused = false;
    bool unbounded = false;    // it leads to memory, which is never full, or carries only headers
    std::uint32_t cables = 1;  // bundled into the link: each is an input of its own to a shared buffer
    std::int64_t headroom_most = 0;
    std::int64_t drops = 0;
    std::int64_t pauses = 0, refreshes = 0;
    Ps told_at = 0;                // when the last pause frame left
    bool will_refresh = false;     // a timer is running
    std::uint32_t reverse = none;  // the port of the other direction
    // The sender's rate as seen at this end of the link: an event changes it one latency later. The sender's own figure
    // belongs to the sender's thread.
    std::uint64_t inverse = 0;

    Ps serialization(std::uint32_t bytes) const { return wire_time(bytes, inverse); }
};

static_assert(sizeof(Port) == 128 && sizeof(Ingress) == 128);

// A port's rarely used data, and its counters, of the sending node. What a queued packet touches fills one cache line.
struct alignas(32) PortCounts {
    std::int64_t most_queued = 0;
    std::int64_t marks = 0;
    float k_min = 0, k_max = 0;   // bytes
    std::int32_t since_mark = 0;  // packets that could have been marked
    std::uint8_t lane = 0;
    bool ignores = false;        // ignores pauses, since its watchdog has fired
    float loss = 0;              // share of packets that arrive corrupted
    std::int32_t headers = 0;    // header credits
    std::uint32_t turns = none;  // into Network::turns: the arbitration of the lanes
    std::uint32_t draws = 0;     // packets whose mark was drawn or counted
    Ps paused_since = 0;
    Ps paused_until = 0;        // unless refreshed
    Ps starved_until = -1;      // when the last packet that had no credit got it
    std::int64_t watchdog = 0;  // times a pause was overridden
    Ps paused = 0;              // time that its receiver paused it
    Ps starved = 0;             // time in which it had a packet but no credit
};

}  // namespace fabricast::inline packet
