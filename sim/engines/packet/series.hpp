#pragma once
// Time series in bounded memory: when the bins are full, pairs of bins are merged.

#include <algorithm>
#include <array>
#include <cstdint>

#include "sim/engines/packet/frame.hpp"

namespace fabricast::inline packet {

// The most bytes queued at a port, the time paused and the bytes sent.
struct PortBin {
    std::int64_t queued = 0;
    Ps paused = 0;
    std::int64_t sent = 0;
};

inline PortBin merged(const PortBin& a, const PortBin& b) {
    return {std::max(a.queued, b.queued), a.paused + b.paused, a.sent + b.sent};
}
// Of a sender's rates, which are 0 where it sent nothing, the last.
inline float merged(float a, float b) { return b > 0 ? b : a; }

template <class Bin, std::size_t count> class Bins {
public:
    Ps width() const { return width_; }
    const std::array<Bin, count>& all() const { return bins_; }
    Bin& operator[](std::size_t b) { return bins_[b]; }

    // The index of the bin of a time, which it makes room for.
    std::size_t index(Ps at) {
        while (at / width_ >= static_cast<Ps>(count)) { fold(); }
        return static_cast<std::size_t>(at / width_);
    }
    Bin& at(Ps time) { return bins_[index(time)]; }

    // Halves the resolution until bins are at least this wide, so that all series can have the same bins.
    void widen_to(Ps width) {
        while (width_ < width) { fold(); }
    }

private:
    void fold() {
        for (std::size_t b = 0; b < count / 2; ++b) { bins_[b] = merged(bins_[2 * b], bins_[2 * b + 1]); }
        std::fill(bins_.begin() + count / 2, bins_.end(), Bin{});
        width_ *= 2;
    }

    Ps width_ = 100'000;  // 0.1 us at first
    std::array<Bin, count> bins_{};
};

using Rates = Bins<float, 256>;

// What happened at one port.
class Series : public Bins<PortBin, 128> {
public:
    // From `time` on, `bytes` wait; what waited until then counts in every bin in which it waited.
    void saw_queue(Ps time, std::int64_t bytes) {
        if (time > queued_since_ && waiting_ > 0) {
            const std::size_t last = index(time - 1);
            for (std::size_t b = index(queued_since_); b <= last; ++b) {
                (*this)[b].queued = std::max((*this)[b].queued, waiting_);
            }
        }
        queued_since_ = std::max(queued_since_, time);
        waiting_ = bytes;
    }
    void saw_pause(Ps from, Ps to) {
        index(to);
        while (from < to) {
            const std::size_t b = index(from);
            const Ps end = std::min(to, static_cast<Ps>(b + 1) * width());
            (*this)[b].paused += end - from;
            from = end;
        }
    }

private:
    Ps queued_since_ = 0;
    std::int64_t waiting_ = 0;  // bytes queued since then
};

}  // namespace fabricast::inline packet
