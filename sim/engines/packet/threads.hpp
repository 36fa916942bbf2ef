#pragma once
// How the threads of a packet replay share its windows: where they meet, whether all of them run a window or one alone,
// and which of them runs which islands. Which thread runs an island makes no difference to the result.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>

namespace fabricast::inline packet {

// The threads meet here between windows: the others wait while the first plans the next window. They spin a while, as
// windows are short, then leave their core to whoever wants it, then sleep on a condition variable. With atomic::wait,
// a thread that is about to sleep could miss a round that is published by a plain release store, and nobody would wake
// it.
class Barrier {
public:
    explicit Barrier(std::uint32_t threads) : followers_(threads - 1) {}

    // Called by the first thread: waits for all others, calls `plan`, which must not throw, then lets all continue.
    template <class Plan> void lead(Plan&& plan) {
        wait(all_came_, [&] { return arrived_.load(std::memory_order_acquire) == followers_; });
        arrived_.store(0, std::memory_order_relaxed);
        plan();
        round_.fetch_add(1, std::memory_order_release);
        tell(next_round_);
    }

    void follow() {
        const std::uint32_t round = round_.load(std::memory_order_relaxed);
        if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == followers_) { tell(all_came_); }
        wait(next_round_, [&] { return round_.load(std::memory_order_acquire) != round; });
    }

private:
    template <class Reached> void wait(std::condition_variable& sleepers, Reached&& reached) {
        for (int spin = 0; spin < 2000; ++spin) {
            if (reached()) { return; }
        }
        if (reached_soon(reached)) { return; }
        std::unique_lock lock(mutex_);
        sleepers.wait(lock, reached);
    }
    // Threads seldom end a window further apart than the time of one island. To wake a sleeping one takes as long in a
    // virtual machine, whose idle core goes back to its host. Ends early if another program wants the core.
    template <class Reached> static bool reached_soon(Reached&& reached) {
        using Clock = std::chrono::steady_clock;
        constexpr auto patience = std::chrono::microseconds(200), long_away = std::chrono::microseconds(20);
        const Clock::time_point start = Clock::now();
        for (Clock::time_point now = start, before = start; now - start < patience && now - before < long_away;) {
            std::this_thread::yield();
            for (int spin = 0; spin < 50; ++spin) {
                if (reached()) { return true; }
            }
            before = std::exchange(now, Clock::now());
        }
        return false;
    }
    // A thread that found its condition unmet under the lock is asleep by the time this has the lock.
    void tell(std::condition_variable& sleepers) {
        { const std::lock_guard lock(mutex_); }
        sleepers.notify_all();
    }

    std::uint32_t followers_;
    alignas(64) std::atomic<std::uint32_t> arrived_{0};
    alignas(64) std::atomic<std::uint32_t> round_{0};
    std::mutex mutex_;
    std::condition_variable all_came_, next_round_;
};

// Decides whether all threads run the next windows or one thread alone. Handing over a window costs microseconds, or
// milliseconds if other programs use the cores, and many windows contain less work than that. The decision may depend
// on wall-clock time: on how long one hop of a packet recently took with all threads and with one.
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

    // One thread does a replay's first hops alone: 3 to 10 ms, at 20 to 75 ns each. A second thread could not save more
    // of that than waking it may cost if other programs use the cores.
    static constexpr std::int64_t little = 1 << 17;

private:
    static constexpr std::int64_t batch = 4096;  // hops: 0.1 to 0.3 ms
    static constexpr double longest = 4;  // a shared batch that takes this many times as long as alone is given up
    static constexpr double share_of_trials = 0.04;
    // Batches between two trials. One thread tries to share again soon, as the share of trials allows: windows with
    // little work, as between two calls of a collective, are followed by full ones.
    static constexpr int rest_alone = 2, rest = 8, longest_rest = 128;

    void judge(std::int64_t hops, double at) {
        if (since_ < 0) {  // the first batch includes the start of the replay
            start_ = at;
            return;
        }
        const double took = at - since_;
        const double pace = took / static_cast<double>(std::max<std::int64_t>(1, hops));
        if (trial_) {
            end_trial(pace, took, hops);
            return;
        }
        double& usual = pace_[shared_ ? 1 : 0];
        usual = usual < unknown ? usual + (pace - usual) / 4 : pace;
        if (shared_ && (pace > longest * pace_[0] || usual > 2 * pace_[0])) {  // other programs use the cores
            choose(false);
            return;
        }
        const int wait = !shared_ ? rest_alone : usual < pace_[0] ? rest_ : rest;
        const double may_lose = (longest - 1) * std::min(pace_[0], pace_[1]) * batch;
        const double so_far = at - start_ + pace_[0] * little;  // about: the first hops are not timed
        if (++rested_ <= wait || lost_ + may_lose > share_of_trials * so_far) { return; }
        trial_ = true;
        shared_ = !shared_;
    }

    // The time of a hop changes during a replay, and single batches are late, so a trial is compared only with what
    // went just before it. The more trials in a row find that sharing helps, the longer it takes until the next.
    void end_trial(double pace, double took, std::int64_t hops) {
        const double usual = pace_[shared_ ? 0 : 1];
        pace_[shared_ ? 1 : 0] = pace;
        lost_ += std::max(0.0, took - static_cast<double>(hops) * usual);
        trial_ = false;
        const bool better = pace < usual;
        if (!shared_) { rest_ = better ? rest : std::min(2 * rest_, longest_rest); }
        choose(better ? shared_ : !shared_);
    }

    void choose(bool shared) {
        shared_ = shared;
        rested_ = 0;
    }

    static constexpr double unknown = std::numeric_limits<double>::infinity();
    bool always_, shared_;
    bool trial_ = false;                               // this batch is run the other way
    std::array<double, 2> pace_ = {unknown, unknown};  // seconds a hop lately: alone, shared
    std::int64_t from_ = 0;                            // hops before this batch
    double since_ = -1, start_ = 0, lost_ = 0;
    int rest_ = rest, rested_ = rest;
};

// Islands [from, to) of a domain's list.
struct Claim {
    std::uint32_t from = 0, to = 0;
    std::uint32_t count() const { return to - from; }
};

// The islands of a domain in one window: the owner takes them from the front, threads that have finished from the back.
class StealableRange {
public:
    // Called by the owner when its islands have got their mail. Otherwise there is nothing to take.
    void publish(std::uint32_t count) { open_.store(pack({0, count}), std::memory_order_release); }

    Claim take_first() {
        return take([](Claim open, std::uint32_t some) { return Claim{open.from, open.from + some}; });
    }
    Claim take_last() {
        return take([](Claim open, std::uint32_t some) { return Claim{open.to - some, open.to}; });
    }

private:
    static std::uint64_t pack(Claim claim) { return static_cast<std::uint64_t>(claim.from) << 32U | claim.to; }

    // Takes a sixteenth of what is left, so that all threads end at nearly the same time.
    template <class Part> Claim take(Part&& part) {
        std::uint64_t known = open_.load(std::memory_order_acquire);
        for (;;) {
            const Claim open{static_cast<std::uint32_t>(known >> 32U), static_cast<std::uint32_t>(known)};
            if (open.count() == 0) { return {}; }
            const Claim mine = part(open, 1 + (open.count() - 1) / 16);
            const Claim left = mine.from == open.from ? Claim{mine.to, open.to} : Claim{open.from, mine.from};
            if (open_.compare_exchange_weak(known, pack(left), std::memory_order_acq_rel, std::memory_order_acquire)) {
                return mine;
            }
        }
    }

    alignas(64) std::atomic<std::uint64_t> open_{0};
};

}  // namespace fabricast::inline packet
