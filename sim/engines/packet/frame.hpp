#pragma once
// One packet in flight: sixteen bytes, kept by value in the ring of the link that it is on. What a packet does not
// carry is stored in its flow: the path, and where it came from.

#include <algorithm>
#include <compare>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "base/units.hpp"

namespace fabricast::inline packet {

// Picoseconds since the start of the replay. A bare number, since it is packed together with others.
using Ps = std::int64_t;

inline constexpr Ps never = (Ps{1} << 47) - 1;  // 140 s
inline constexpr Ps clock_end = never / 2;      // later times are refused, so that the sum of two times is in range

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_late() {
    throw OutOfRange("a time beyond the 70 s that the clock of engine packet holds (the other engines': 106 days)");
}

// Throws OutOfRange beyond the end of the clock.
inline Ps on_clock(Ps time) { return time < clock_end ? time : (refuse_late(), time); }
inline Ps on_clock(Duration span) { return on_clock(span.ps); }
inline constexpr std::uint32_t none = 0xffffffffU;

struct Frame {
    std::uint64_t key = 0;  // time << 16 | low bits of the sequence number: one comparison orders frames
    std::uint32_t flow = 0;
    std::uint16_t bytes = 0;
    std::uint16_t meta = 0;  // bits as below

    static constexpr std::uint16_t hop_mask = 0x3f;
    static constexpr unsigned variant_shift = 6;
    static constexpr std::uint16_t variant_mask = 0x1f;
    static constexpr std::uint16_t marked = 1U << 11U;      // ECN: congestion experienced
    static constexpr std::uint16_t piece_end = 1U << 12U;   // last packet of a message or of a pipeline's slice
    static constexpr std::uint16_t stream_end = 1U << 13U;  // last packet of the whole stream
    static constexpr std::uint16_t last_hop = 1U << 14U;    // the link it is on leads to its receiver
    static constexpr std::uint16_t notice = 1U << 15U;      // not a packet: tells the receiver that a piece is complete

    Ps time() const { return static_cast<Ps>(key >> 16U); }
    std::uint16_t psn() const { return static_cast<std::uint16_t>(key); }
    void number(std::uint32_t psn) { key = (key & ~std::uint64_t{0xffff}) | (psn & 0xffffU); }
    void at(Ps time) { key = static_cast<std::uint64_t>(time) << 16U | (key & 0xffffU); }
    std::uint32_t hop() const { return meta & hop_mask; }
    std::uint32_t variant() const { return (meta >> variant_shift) & variant_mask; }
    bool is(std::uint16_t bit) const { return (meta & bit) != 0; }
};

static_assert(sizeof(Frame) == 16);

// A frame in the queue of a port, and the link whose receive buffer it occupies.
struct Waiting {
    Frame frame;
    std::uint32_t ingress = none;
};

// What one node tells another without packets. It takes a link's latency at least, so it is due in a later window.

struct ControlMessage {
    enum Kind : std::uint32_t {
        share,         // of a link's capacity that an event leaves, in millionths; for its sender
        arrival_rate,  // the same, for its receiver, one latency later
        message,
        stream,
        slot,
        notice,
        ack,
        nak,
        timeout,
        reroute,
        refresh,   // a pause is to be sent again
        want,      // a reader may request the first so many pieces
        grant,     // a request has arrived
        returned,  // the requested bytes have arrived
        trimmed,   // a packet's header has come without its data; value: the low bits of its sequence number
        resume,    // nothing by itself: what had been skipped goes on from then
        echo       // a packet has arrived, for its sender's window: bytes << 16 | sequence number
    };
    Ps time = 0;
    std::uint32_t node = 0;
    Kind kind = message;
    std::uint32_t target = 0;  // transfer, stream, flow, port or reader
    std::uint32_t value = 0;

    // A total order, so that the order of posting does not matter.
    friend auto operator<=>(const ControlMessage&, const ControlMessage&) = default;
};

// The control messages for one node, earliest first.
struct Inbox : std::priority_queue<ControlMessage, std::vector<ControlMessage>, std::greater<>> {
    const std::vector<ControlMessage>& all() const { return c; }
    // Moves those that are chosen.
    template <class Chosen> void shift(Ps by, Chosen&& chosen) {
        for (ControlMessage& mail : c) { mail.time += chosen(mail) ? by : 0; }
        std::ranges::make_heap(c, comp);
    }
};

// A report to the operations: a message or stream has arrived, or will have arrived at `time`.
struct Done {
    enum Kind : std::uint32_t { message, stream };
    Ps time = 0;
    Kind kind = message;
    std::uint32_t index = 0;  // transfer or stream

    friend auto operator<=>(const Done&, const Done&) = default;
};

}  // namespace fabricast::inline packet
