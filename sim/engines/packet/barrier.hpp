#pragma once
// The threads of a packet replay meet here between windows: the others wait while the first plans the next window.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace fabricast::inline packet {

// Spins a while, as windows are short, then sleeps on a condition variable. With atomic::wait, a thread that is about
// to sleep could miss a round that is published by a plain release store, and nobody would wake it.
class Barrier {
public:
    explicit Barrier(std::uint32_t threads) : followers_(threads - 1) {}

    // Called by the first thread: waits until all others have come, calls `plan`, which must not throw, then lets all
    // continue.
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
        std::unique_lock lock(mutex_);
        sleepers.wait(lock, reached);
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

}  // namespace fabricast::inline packet
