#pragma once
// Whether all threads run the next windows or one thread alone. Handing a window over costs microseconds, or
// milliseconds where other programs want the cores, and many windows hold less work than that. Which thread runs an
// island makes no difference to what it does, so the choice may go by the clock on the wall: by what a hop of a packet
// took lately, either way.

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

namespace fabricast::packet {

class Sharing {
public:
    // `always`: for tests.
    explicit Sharing(bool always) : always_(always), shared_(always) {}

    // Of the next window; `hops` so far, `now()` in seconds.
    template <class Now>
    bool shares(std::int64_t hops, Now&& now) {
        if (always_ || hops < little || (!shared_ && hops - from_ < batch)) {
            return shared_;  // the clock is read once a batch, and after each window that was shared
        }
        const double at = now();
        const double allowed = longest * pace_[0] * batch;
        if (shared_ && hops - from_ < batch && at - since_ < allowed) {
            return shared_;
        }
        judge(hops - from_, at);
        from_ = hops;
        since_ = at;
        return shared_;
    }

    // Hops of a replay that one thread does alone: a tenth or two of a second, at 100 to 200 ns each. What a second one
    // could save of it is no more than waking it may cost where other programs want the cores.
    static constexpr std::int64_t little = 1 << 20;

private:
    static constexpr std::int64_t batch = 4096;  // hops: some tenths of a millisecond
    static constexpr double longest = 4;         // a batch that takes so many times what it takes alone is given up
    static constexpr double share_of_trials = 0.04;
    static constexpr int rest = 8;  // batches between two trials

    void judge(std::int64_t hops, double at) {
        if (since_ < 0) {  // the first batch holds the start of the replay
            start_ = at;
            return;
        }
        const double took = at - since_;
        pace_[shared_ ? 1 : 0] = took / static_cast<double>(std::max<std::int64_t>(1, hops));
        const bool known = pace_[1] < std::numeric_limits<double>::infinity();
        if (known) {
            lost_ += std::max(0.0, took - static_cast<double>(hops) * std::min(pace_[0], pace_[1]));
        }
        const bool better = pace_[1] < pace_[0];
        ++rested_;
        const double may_lose = (longest - 1) * std::min(pace_[0], pace_[1]) * batch;
        const bool trial = rested_ > rest && lost_ + may_lose <= share_of_trials * (at - start_);
        rested_ = trial ? 0 : rested_;
        shared_ = trial ? !better : better;
    }

    bool always_, shared_;
    std::array<double, 2> pace_ = {0, std::numeric_limits<double>::infinity()};  // seconds a hop: alone, shared
    std::int64_t from_ = 0;                                                      // hops, where the batch began
    double since_ = -1, start_ = 0, lost_ = 0;
    int rested_ = rest;
};

}  // namespace fabricast::packet
