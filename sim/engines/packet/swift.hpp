#pragma once
// Swift (Kumar et al., SIGCOMM'20, Algorithm 1): a window in packets that holds the round trip at a target, which is
// longer over more hops and for small windows. Below one packet the window is a pause between packets.

#include <algorithm>
#include <cmath>

#include "sim/engines/packet/options.hpp"
#include "sim/engines/packet/window.hpp"

namespace fabricast::inline packet {

// Round trip in ps that a window of so many packets aims at over `hops` switches: section 3.5.
inline double swift_target(const SwiftOptions& o, std::uint32_t hops, double window) {
    const auto range = static_cast<double>(o.range.ps);
    const double alpha = range / (1 / std::sqrt(o.least_scaled) - 1 / std::sqrt(o.most_scaled));
    const double scaled = alpha / std::sqrt(window) - alpha / std::sqrt(o.most_scaled);
    return static_cast<double>(o.base_target.ps) + hops * static_cast<double>(o.hop.ps) +
           std::clamp(scaled, 0.0, range);
}

class Swift {
public:
    // `base`: round trip without queues; `hops`: switches on the way; `unit`: bytes of a packet.
    Swift(const SwiftOptions& o, double line, Ps base, std::uint32_t hops, std::uint32_t unit)
        : hops_(hops), unit_(unit), rtt_(static_cast<double>(base)), window_(line * rtt_ * 1e-12 / unit) {
        most_ = 2 * line * target(o, o.most_scaled) * 1e-12 / unit;
    }

    double target(const SwiftOptions& o, double window) const { return swift_target(o, hops_, window); }

    double packets() const { return window_; }
    double window() const { return std::max(1.0, window_) * unit_; }
    // ps per byte; 0: the window alone limits.
    double pace() const { return window_ < 1 ? rtt_ / (window_ * unit_) : 0; }

    void on_echo(const SwiftOptions& o, Ps now, Ps sent) {
        rtt_ = static_cast<double>(now - sent);
        const double aim = target(o, window_);
        if (rtt_ < aim) {
            window_ += window_ >= 1 ? o.additive / window_ : o.additive;
        } else if (static_cast<double>(now - cut_at_) >= rtt_) {
            window_ *= std::max(1 - o.beta * (rtt_ - aim) / rtt_, 1 - o.most_cut);
            cut_at_ = now;
        }
        window_ = std::clamp(window_, o.least_window, most_);
    }

private:
    std::uint32_t hops_ = 0, unit_ = 0;
    double rtt_ = 0, window_ = 0, most_ = 0;
    Ps cut_at_ = -never;
};

}  // namespace fabricast::inline packet
