#pragma once
// What one node tells another other than by packets. It takes at least a link's latency, so it is due in a later
// window.

#include <algorithm>
#include <compare>
#include <functional>
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
        refresh,  // a pause is to be sent again
        want,     // a reader has bytes to request
        grant,    // a request has arrived
        returned  // the requested bytes have arrived
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
class Inbox {
public:
    bool empty() const { return heap_.empty(); }
    const ControlMessage& front() const { return heap_.front(); }
    void push(const ControlMessage& mail) {
        heap_.push_back(mail);
        std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
    }
    void pop() {
        std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
        heap_.pop_back();
    }

private:
    std::vector<ControlMessage> heap_;
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
