#pragma once
// HPCC (Li et al., SIGCOMM'19, Algorithm 1): a window that follows the use of the fullest link, which switches write
// into each packet. Rates are bytes per second, windows bytes.

#include <algorithm>
#include <array>
#include <span>

#include "sim/engines/packet/options.hpp"
#include "sim/engines/packet/window.hpp"

namespace fabricast::inline packet {

class Hpcc {
public:
    // `base`: round trip without queues, T.
    Hpcc(double line, Ps base) : line_(line), base_(static_cast<double>(base)), window_(most()), reference_(window_) {}

    double window() const { return window_; }
    double rate() const { return window_ / base_ * 1e12; }
    bool at_line() const { return rate() >= line_; }

    // A packet has arrived that met `hops`; `next`: the sequence number that is sent next.
    void on_echo(const HpccOptions& o, std::span<const HopRecord> hops, std::uint32_t psn, std::uint32_t next) {
        const bool measured = measure(hops);
        std::ranges::copy(hops, last_.begin());
        known_ = hops.size();
        if (!measured) { return; }
        const bool update = static_cast<std::int32_t>(psn - updated_) >= 0;
        if (use_ >= o.eta || stage_ >= o.stages) {
            window_ = reference_ / (use_ / o.eta) + static_cast<double>(o.additive.count);
            if (update) { stage_ = 0; }
        } else {
            window_ = reference_ + static_cast<double>(o.additive.count);
            if (update) { ++stage_; }
        }
        window_ = std::clamp(window_, static_cast<double>(o.additive.count), most());
        if (update) {
            reference_ = window_;
            updated_ = next;
        }
    }

private:
    double most() const { return line_ * base_ * 1e-12; }

    // Function MeasureInflight: the bytes in flight through the fullest link, as a multiple of what it holds in T.
    bool measure(std::span<const HopRecord> hops) {
        double fullest = -1;
        double span = 0;
        for (std::size_t i = 0; i < std::min(known_, hops.size()); ++i) {
            const HopRecord& now = hops[i];
            const HopRecord& before = last_[i];
            if (now.port != before.port || now.at <= before.at) { continue; }  // another path, or overtaken on it
            const auto passed = static_cast<double>(now.at - before.at);
            const double waiting =
                static_cast<double>(std::min(now.queued, before.queued)) / (now.rate * base_ * 1e-12);
            const double use = waiting + static_cast<double>(now.sent - before.sent) / (passed * 1e-12) / now.rate;
            if (use > fullest) {
                fullest = use;
                span = passed;
            }
        }
        if (fullest < 0) { return false; }
        const double weight = std::min(span, base_) / base_;
        use_ = (1 - weight) * use_ + weight * fullest;
        return true;
    }

    double line_ = 0, base_ = 0;
    double window_ = 0, reference_ = 0;  // W and Wc
    double use_ = 1;                     // U
    int stage_ = 0;
    std::uint32_t updated_ = 0;
    std::array<HopRecord, InFlight::most_hops> last_{};
    std::size_t known_ = 0;
};

}  // namespace fabricast::inline packet
