#pragma once
// InfiniBand's congestion control at the sender (IBTA Vol. 1 Annex A10.3): an index into a table of delays that rises
// with each BECN and falls with a timer. The timer needs no events: it is applied when the flow next sends or gets a
// notice.

#include <algorithm>

#include "sim/engines/packet/frame.hpp"
#include "sim/engines/packet/options.hpp"

namespace fabricast::packet {

class InfinibandRate {
public:
    InfinibandRate() = default;
    InfinibandRate(const InfinibandControl& options, double line) : line_(line), index_(options.least) {}

    int index() const { return index_; }
    // Bytes per second: after each packet, nothing is sent for index * `spacing` times the packet's own time.
    double rate(const InfinibandControl& o) const { return line_ / (1 + o.spacing * index_); }

    void on_notice(const InfinibandControl& o, Ps now) {
        advance(o, now);
        if (index_ == o.least) {
            ticked_at_ = now;
        }
        index_ = std::min(o.limit, index_ + o.increase);
    }

    void advance(const InfinibandControl& o, Ps now) {
        if (index_ == o.least) {
            return;
        }
        const Ps ticks = (now - ticked_at_) / o.timer.ps;
        index_ = static_cast<int>(std::max<Ps>(o.least, index_ - ticks));
        ticked_at_ += ticks * o.timer.ps;
    }

private:
    double line_ = 0;
    int index_ = 0;
    Ps ticked_at_ = 0;  // when the timer last lowered the index
};

}  // namespace fabricast::packet
