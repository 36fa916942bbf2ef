#pragma once
// How a sender finds its rate. DCQCN (Zhu et al., SIGCOMM'15): the reaction point of Fig. 7, its timers are applied
// when the flow next sends or gets a notice, so they need no events. TIMELY (Mittal et al., SIGCOMM'15, Algorithm 1):
// the gradient of the round trip, but at most one cut per round trip. Rates are bytes per second.

#include <algorithm>
#include <array>

#include "sim/engines/packet/frame.hpp"
#include "sim/engines/packet/options.hpp"

namespace fabricast::inline packet {

class Dcqcn {
public:
    Dcqcn(const DcqcnOptions& options, double line)
        : line_(line), rate_(line), target_(line), alpha_(options.first_alpha) {}

    double rate() const { return rate_; }
    bool at_line() const { return rate_ >= line_; }  // the wire itself is the limit
    double alpha() const { return alpha_; }

    void on_notice(const DcqcnOptions& o, Ps now) {
        advance(o, now);
        if (cuts_ > 0 && now - cut_at_ < o.cut_interval.ps) { return; }
        ++cuts_;
        cut_at_ = now;
        if (o.clamp_target) { target_ = rate_; }
        rate_ = std::max(o.least_rate, rate_ * (1 - alpha_ / 2));
        alpha_ = (1 - o.g) * alpha_ + o.g;
        alpha_at_ = timer_at_ = now;
        bytes_ = 0;
        by_bytes_ = by_timer_ = 0;
    }

    void on_send(const DcqcnOptions& o, Ps now, std::uint32_t bytes) {
        if (cuts_ == 0) { return; }  // the line's rate until the first notice
        advance(o, now);
        bytes_ += bytes;
        for (; bytes_ >= o.byte_counter.count; bytes_ -= o.byte_counter.count) {
            ++by_bytes_;
            increase(o);
        }
    }

    // Applies all decays of alpha and all increases by the timer that are due by now.
    void advance(const DcqcnOptions& o, Ps now) {
        if (cuts_ == 0) { return; }
        if (const Ps times = (now - alpha_at_) / o.alpha_timer.ps; times > 0) {
            alpha_ *= power(1 - o.g, times);
            alpha_at_ += times * o.alpha_timer.ps;
        }
        while (now - timer_at_ >= o.increase_timer.ps) {
            if (rate_ >= line_) {
                const Ps times = (now - timer_at_) / o.increase_timer.ps;
                by_timer_ += static_cast<int>(std::min<Ps>(times, 1000));
                timer_at_ += times * o.increase_timer.ps;
                break;
            }
            timer_at_ += o.increase_timer.ps;
            ++by_timer_;
            increase(o);
        }
    }

private:
    static double power(double x, Ps n) {
        double result = 1;
        for (; n > 0; n >>= 1U, x *= x) { result *= (n & 1) != 0 ? x : 1; }
        return result;
    }

    void increase(const DcqcnOptions& o) {
        const int most = std::max(by_bytes_, by_timer_);
        const int least = std::min(by_bytes_, by_timer_);
        if (least > o.fast_recovery) {
            target_ += o.hyper * (least - o.fast_recovery);
        } else if (most >= o.fast_recovery) {
            target_ += o.additive;
        }
        target_ = std::min(target_, line_);
        rate_ = (rate_ + target_) / 2;
        if (line_ - rate_ < line_ * 1e-6) { rate_ = line_; }
    }

    double line_ = 0, rate_ = 0, target_ = 0, alpha_ = 1;
    Ps alpha_at_ = 0, timer_at_ = 0, cut_at_ = 0;
    std::int64_t bytes_ = 0;
    int by_bytes_ = 0, by_timer_ = 0;
    std::int64_t cuts_ = 0;
};

class Timely {
public:
    explicit Timely(double line) : line_(line), rate_(line) {}

    double rate() const { return rate_; }
    bool at_line() const { return rate_ >= line_; }  // the wire itself is the limit
    void sent(std::uint32_t segment, Ps now) { sent_[segment % sent_.size()] = now; }

    void on_ack(const TimelyOptions& o, std::uint32_t segment, Ps now, double least_rate) {
        const Ps sent = sent_[segment % sent_.size()];
        if (sent < cut_at_) { return; }  // sent before the last cut, which has already answered the queue that it met
        const double rtt = static_cast<double>(now - sent);
        const double change = rtt - before_;
        if (before_ > 0) {
            gradient_ = (1 - o.ewma) * gradient_ + o.ewma * change / static_cast<double>(o.least_rtt.ps);
        }
        before_ = rtt;
        const double step = o.additive * line_ / 1.25e9;  // the option is for 10 Gb/s
        const auto high = static_cast<double>(o.high.ps);
        if (rtt < static_cast<double>(o.low.ps)) {
            rate_ += step;
        } else if (rtt > high) {
            rate_ *= 1 - o.beta * (1 - high / rtt);
            cut_at_ = now;
        } else if (gradient_ <= 0) {
            falling_ = std::min(falling_ + 1, 5);
            rate_ += falling_ == 5 ? 5 * step : step;  // hyperactive increase
        } else {
            falling_ = 0;
            cut_at_ = now;
            rate_ *= 1 - std::min(0.5, o.beta * gradient_);
        }
        rate_ = std::clamp(rate_, least_rate, line_);
    }

private:
    double line_ = 0, rate_ = 0, gradient_ = 0, before_ = 0;
    int falling_ = 0;
    Ps cut_at_ = 0;
    std::array<Ps, 64> sent_{};
};

// InfiniBand's congestion control at the sender (IBTA Vol. 1 Annex A10.3): an index into a table of delays that rises
// with each BECN and falls with a timer. The timer needs no events: it is applied when the flow sends or gets a notice.
class InfinibandRate {
public:
    InfinibandRate(const InfinibandControl& options, double line) : line_(line), index_(options.least) {}

    int index() const { return index_; }
    // Bytes per second: after each packet, nothing is sent for index * `spacing` times the packet's own time.
    double rate(const InfinibandControl& o) const { return line_ / (1 + o.spacing * index_); }

    void on_notice(const InfinibandControl& o, Ps now) {
        advance(o, now);
        if (index_ == o.least) { ticked_at_ = now; }
        index_ = std::min(o.limit, index_ + o.increase);
    }

    void advance(const InfinibandControl& o, Ps now) {
        if (index_ == o.least) { return; }
        const Ps ticks = (now - ticked_at_) / o.timer.ps;
        index_ = static_cast<int>(std::max<Ps>(o.least, index_ - ticks));
        ticked_at_ += ticks * o.timer.ps;
    }

private:
    double line_ = 0;
    int index_ = 0;
    Ps ticked_at_ = 0;  // when the timer last lowered the index
};

}  // namespace fabricast::inline packet
