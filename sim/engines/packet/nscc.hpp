#pragma once
// NSCC, the network-signalled congestion control of UEC 1.0: a window that holds the delay in queues at a target. ECN
// and the delay of each packet tell four cases apart: no mark and a short delay (grow by how short it is), no mark and
// a long one (the queue has just begun: grow by a fixed amount), a mark and a long one (cut by how long it is on
// average), a mark and a short one (the queue is about to end: nothing). If most packets are trimmed or late, the
// window becomes at once what arrived in the last round trip. As in uet-htsim, uec.cpp; bytes and seconds are kept as
// such.

#include <algorithm>
#include <cmath>

#include "sim/engines/packet/options.hpp"
#include "sim/engines/packet/window.hpp"

namespace fabricast::inline packet {

// What an acknowledgement says of its packet.
struct Acknowledged {
    Ps sent = 0;
    std::uint32_t bytes = 0;
    bool marked = false;
};

class Nscc {
public:
    static constexpr double most = 1.5;  // windows hold up to so many times what the line carries in a round trip

    // `base`: round trip without queues; `unit`: bytes of a packet; `trims`: switches trim packets.
    Nscc(const NsccOptions& o, double line, Ps base, std::uint32_t unit, bool trims)
        : base_(static_cast<double>(base)),
          target_(o.target.ps > 0 ? static_cast<double>(o.target.ps) : base_ * (trims ? 0.75 : 1)),
          unit_(unit),
          scale_(line * base_ / (12.5e9 * reference)),
          longest_(most * line * base_ * 1e-12),
          window_(std::max(longest_, unit_)) {}

    double window() const { return window_; }
    double target() const { return target_; }  // ps

    void on_echo(const NsccOptions& o, Ps now, const Acknowledged& packet, std::int64_t in_flight) {
        const double delay = std::max(0.0, static_cast<double>(now - packet.sent) - base_);
        const double bytes = packet.bytes;
        arrived_ += bytes;
        since_ += bytes;
        ignored_ += bytes;
        smooth(o, !packet.marked && delay > target_ ? base_ / 4 : delay);
        if (adapt(o, now, packet.marked, delay > 4 * target_, in_flight)) { return; }
        if (packet.marked) {
            if (delay >= target_) { cut(o, now); }
        } else if (delay >= target_) {
            owed_ += o.fair * unit_ * scale_ * bytes;
        } else if (!grow_fast(o, delay, bytes)) {
            owed_ += o.proportional * unit_ * scale_ * (target_ - delay) / reference * bytes;
        }
        bound();
        if (since_ > 8 * unit_ || static_cast<double>(now - settled_) > base_) { settle(o, now); }
        bound();
    }

    // A packet of `bytes` was trimmed, or given up for lost.
    void on_loss(const NsccOptions& o, Ps now, std::uint32_t bytes, std::int64_t in_flight) {
        ignored_ += bytes;
        smooth(o, base_);  // a queue that trims is at least as long
        lost_ = true;
        if (!adapt(o, now, true, true, in_flight)) { window_ -= bytes; }
        bound();
    }

private:
    static constexpr double reference = 12e6;  // ps, at 100 Gb/s: where the options' packets are meant

    void bound() { window_ = std::clamp(window_, unit_, std::max(longest_, unit_)); }
    void smooth(const NsccOptions& o, double delay) { mean_ += o.smoothing * (delay - mean_); }

    // Once a round trip and target: whether the network is so full that the window becomes what has arrived. What was
    // under way then says nothing new.
    bool adapt(const NsccOptions& o, Ps now, bool marked, bool late, std::int64_t in_flight) {
        bool ignores = false;
        if (ignored_ < ignores_ && marked) {
            ignores = true;
        } else if (now > adapts_at_) {
            if (adapts_at_ > 0 && (lost_ || late) && arrived_ < std::ldexp(longest_, -o.gate)) {
                window_ = std::max(arrived_, unit_);
                ignores_ = static_cast<double>(in_flight);
                ignored_ = 0;
                lost_ = false;
                ignores = true;
            }
            arrived_ = 0;
            adapts_at_ = now + static_cast<Ps>(base_ + target_);
        }
        if (ignores) { owed_ = since_ = 0; }
        return ignores;
    }

    // A window of packets without delay says that there is room.
    bool grow_fast(const NsccOptions& o, double delay, double bytes) {
        constexpr double none = 1e6;  // ps
        prompt_ = delay < none ? prompt_ + bytes : 0;
        fast_ = delay < none && (fast_ || prompt_ > window_);
        if (fast_) { window_ += o.fast * scale_ * bytes; }
        return fast_;
    }

    void cut(const NsccOptions& o, Ps now) {
        fast_ = false;
        prompt_ = 0;
        if (mean_ <= target_ || static_cast<double>(now - cut_at_) <= base_) { return; }
        window_ *= std::max(1 - o.gamma * (mean_ - target_) / mean_, 1 - o.most_cut);
        cut_at_ = now;
    }

    void settle(const NsccOptions& o, Ps now) {
        window_ += owed_ / window_;
        if (static_cast<double>(now - settled_) >= base_) {
            window_ += o.steady * unit_ * scale_;
            settled_ = now;
        }
        owed_ = since_ = 0;
    }

    double base_ = 0, target_ = 0, unit_ = 0, scale_ = 0, longest_ = 0, window_ = 0;
    double mean_ = 0;                   // delay in queues, ps
    double owed_ = 0, since_ = 0;       // growth times the window, and bytes arrived, since it last grew
    double prompt_ = 0;                 // bytes in a row that met no queue
    double arrived_ = 0;                // in this round
    double ignores_ = 0, ignored_ = 0;  // bytes that were under way when it adapted, and those heard of since
    bool fast_ = false, lost_ = false;
    Ps settled_ = 0, cut_at_ = -never, adapts_at_ = 0;
};

}  // namespace fabricast::inline packet
