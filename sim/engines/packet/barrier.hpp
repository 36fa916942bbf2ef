#pragma once
// Where the threads of a packet replay meet between windows.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace fabricast::packet {

// Spins a while, as windows are short, then sleeps. Sleeping is left to a condition variable: with atomic::wait a
// round published by a plain release store can pass the reader who is about to sleep, and nobody wakes it.
class Barrier {
public:
    explicit Barrier(std::uint32_t threads) : threads_(threads) {}

    void wait() {
        if (threads_ == 1) {
            return;
        }
        const std::uint32_t round = round_.load(std::memory_order_relaxed);
        if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
            arrived_.store(0, std::memory_order_relaxed);
            {
                const std::lock_guard lock(mutex_);
                round_.store(round + 1, std::memory_order_release);
            }
            next_round_.notify_all();
            return;
        }
        for (int spin = 0; spin < 2000; ++spin) {
            if (round_.load(std::memory_order_acquire) != round) {
                return;
            }
        }
        std::unique_lock lock(mutex_);
        next_round_.wait(lock, [&] { return round_.load(std::memory_order_acquire) != round; });
    }

private:
    std::uint32_t threads_;
    alignas(64) std::atomic<std::uint32_t> arrived_{0};
    alignas(64) std::atomic<std::uint32_t> round_{0};
    std::mutex mutex_;
    std::condition_variable next_round_;
};

}  // namespace fabricast::packet
