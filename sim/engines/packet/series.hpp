#pragma once
// Something against time in bounded memory: when the bins are full, two become one.

#include <algorithm>
#include <array>
#include <cstdint>

#include "sim/engines/packet/frame.hpp"

namespace fabricast::packet {

// The most bytes queued and the time paused, in each bin.
class Series {
public:
    static constexpr std::size_t bins = 128;

    Ps width() const { return width_; }
    const std::array<std::int64_t, bins>& queued() const { return queued_; }
    const std::array<Ps, bins>& paused() const { return paused_; }

    void saw_queue(Ps at, std::int64_t bytes) {
        std::int64_t& most = queued_[bin(at)];
        most = std::max(most, bytes);
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
    // Halves the resolution until a replay of this length fits in the same bins as another's.
    void widen_to(Ps width) {
        while (width_ < width) {
            fold();
        }
    }

private:
    std::size_t bin(Ps at) {
        while (at / width_ >= static_cast<Ps>(bins)) {
            fold();
        }
        return static_cast<std::size_t>(at / width_);
    }
    void fold() {
        for (std::size_t b = 0; b < bins / 2; ++b) {
            queued_[b] = std::max(queued_[2 * b], queued_[2 * b + 1]);
            paused_[b] = paused_[2 * b] + paused_[2 * b + 1];
        }
        std::fill(queued_.begin() + bins / 2, queued_.end(), 0);
        std::fill(paused_.begin() + bins / 2, paused_.end(), 0);
        width_ *= 2;
    }

    Ps width_ = 100'000;  // 0.1 us at first
    std::array<std::int64_t, bins> queued_{};
    std::array<Ps, bins> paused_{};
};

}  // namespace fabricast::packet
