#pragma once
// Decides whether all threads run the next windows or one thread alone. Handing over a window costs microseconds, or
// milliseconds if other programs use the cores, and many windows contain less work than that. Which thread runs an
// island makes no difference to the result, so the decision may depend on wall-clock time: on how long one hop of a
// packet recently took with all threads and with one.

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

namespace fabricast::inline packet {

class Sharing {
public:
    // `always`: for tests.
    explicit Sharing(bool always) : always_(always), shared_(always) {}

    // Whether to share the next window. `hops`: their number so far; `now()`: wall-clock time in seconds.
    template <class Now> bool shares(std::int64_t hops, Now&& now) {
        if (always_ || hops < little || (!shared_ && hops - from_ < batch)) {
            return shared_;  // the clock is read once per batch, and after each shared window
        }
        const double at = now();
        const double allowed = longest * pace_[0] * batch;
        if (shared_ && hops - from_ < batch && at - since_ < allowed) { return shared_; }
        judge(hops - from_, at);
        from_ = hops;
        since_ = at;
        return shared_;
    }

    // One thread does a replay's first hops alone: 0.1 to 0.2 s, at 100 to 200 ns each. A second thread could not save
    // more of that than waking it may cost if other programs use the cores.
    static constexpr std::int64_t little = 1 << 20;

private:
    static constexpr std::int64_t batch = 4096;  // hops: some tenths of a millisecond
    static constexpr double longest = 4;  // a shared batch that takes this many times as long as alone is given up
    static constexpr double share_of_trials = 0.04;
    static constexpr int rest = 8;  // batches between two trials

    void judge(std::int64_t hops, double at) {
        if (since_ < 0) {  // the first batch includes the start of the replay
            start_ = at;
            return;
        }
        const double took = at - since_;
        pace_[shared_ ? 1 : 0] = took / static_cast<double>(std::max<std::int64_t>(1, hops));
        const bool known = pace_[1] < std::numeric_limits<double>::infinity();
        if (known) { lost_ += std::max(0.0, took - static_cast<double>(hops) * std::min(pace_[0], pace_[1])); }
        const bool better = pace_[1] < pace_[0];
        ++rested_;
        const double may_lose = (longest - 1) * std::min(pace_[0], pace_[1]) * batch;
        const bool trial = rested_ > rest && lost_ + may_lose <= share_of_trials * (at - start_);
        rested_ = trial ? 0 : rested_;
        shared_ = trial ? !better : better;
    }

    bool always_, shared_;
    std::array<double, 2> pace_ = {0, std::numeric_limits<double>::infinity()};  // seconds a hop: alone, shared
    std::int64_t from_ = 0;                                                      // hops before this batch
    double since_ = -1, start_ = 0, lost_ = 0;
    int rested_ = rest;
};

}  // namespace fabricast::inline packet
