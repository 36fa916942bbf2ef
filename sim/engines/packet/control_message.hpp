#pragma once
// What one node tells another without packets. It takes a link's latency at least, so it is due in a later window.

#include <compare>
#include <functional>
#include <queue>
#include <vector>

#include "sim/engines/packet/frame.hpp"

namespace fabricast::inline packet {

struct ControlMessage {
    enum Kind : std::uint32_t {
        share,
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
using Inbox = std::priority_queue<ControlMessage, std::vector<ControlMessage>, std::greater<>>;

// A report to the operations: a message or stream has arrived, or will have arrived at `time`.
struct Done {
    enum Kind : std::uint32_t { message, stream };
    Ps time = 0;
    Kind kind = message;
    std::uint32_t index = 0;  // transfer or stream

    friend auto operator<=>(const Done&, const Done&) = default;
};

}  // namespace fabricast::inline packet
