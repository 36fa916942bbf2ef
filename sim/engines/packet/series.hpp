#pragma once
// Time series in bounded memory: when the bins are full, pairs of bins are merged.

#include <algorithm>
#include <array>
#include <cstdint>

#include "sim/engines/packet/frame.hpp"

namespace fabricast::inline packet {

// The most bytes queued, the time paused and the bytes sent, in each bin.
class Series {
public:
    static constexpr std::size_t bins = 128;

    Ps width() const { return width_; }
    const std::array<std::int64_t, bins>& queued() const { return queued_; }
    const std::array<Ps, bins>& paused() const { return paused_; }
    const std::array<std::int64_t, bins>& sent() const { return sent_; }

    void saw_sent(Ps at, std::int64_t bytes) { sent_[bin(at)] += bytes; }
    // From `at` on, `bytes` wait; what waited until then counts in every bin in which it waited.
    void saw_queue(Ps at, std::int64_t bytes) {
        if (at > queued_since_ && waiting_ > 0) {
            const std::size_t last = bin(at - 1);
            for (std::size_t b = bin(queued_since_); b <= last; ++b) { queued_[b] = std::max(queued_[b], waiting_); }
        }
        queued_since_ = std::max(queued_since_, at);
        waiting_ = bytes;
    }
    void saw_pause(Ps from, Ps to) {
        bin(to);
        while (from < to) {
            const std::size_t b = bin(from);
            const Ps end = std::min(to, static_cast<Ps>(b + 1) * width_);
            paused_[b] += end - from;
            from = end;
        }
    }
    // Halves the resolution until bins are at least this wide, so that all series can have the same bins.
    void widen_to(Ps width) {
        while (width_ < width) { fold(); }
    }

private:
    std::size_t bin(Ps at) {
        while (at / width_ >= static_cast<Ps>(bins)) { fold(); }
        return static_cast<std::size_t>(at / width_);
    }
    void fold() {
        for (std::size_t b = 0; b < bins / 2; ++b) {
            queued_[b] = std::max(queued_[2 * b], queued_[2 * b + 1]);
            paused_[b] = paused_[2 * b] + paused_[2 * b + 1];
            sent_[b] = sent_[2 * b] + sent_[2 * b + 1];
        }
        std::fill(queued_.begin() + bins / 2, queued_.end(), 0);
        std::fill(paused_.begin() + bins / 2, paused_.end(), 0);
        std::fill(sent_.begin() + bins / 2, sent_.end(), 0);
        width_ *= 2;
    }

    Ps width_ = 100'000;  // 0.1 us at first
    Ps queued_since_ = 0;
    std::int64_t waiting_ = 0;  // bytes queued since then
    std::array<std::int64_t, bins> queued_{};
    std::array<Ps, bins> paused_{};
    std::array<std::int64_t, bins> sent_{};
};

// A sender's rate: the last value in each bin; 0 if it sent nothing.
class RateSeries {
public:
    static constexpr std::size_t bins = 256;

    Ps width() const { return width_; }
    const std::array<float, bins>& rates() const { return rates_; }

    void saw(Ps at, double rate) {
        while (at / width_ >= static_cast<Ps>(bins)) {
            for (std::size_t b = 0; b < bins / 2; ++b) {
                rates_[b] = rates_[2 * b + 1] > 0 ? rates_[2 * b + 1] : rates_[2 * b];
            }
            std::fill(rates_.begin() + bins / 2, rates_.end(), 0.0F);
            width_ *= 2;
        }
        rates_[static_cast<std::size_t>(at / width_)] = static_cast<float>(rate);
    }

private:
    Ps width_ = 100'000;
    std::array<float, bins> rates_{};
};

}  // namespace fabricast::inline packet
