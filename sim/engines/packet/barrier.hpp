#pragma once
// Where threads meet between windows: a short spin, then sleep. A pure spin halves the speed beside one busy neighbour.

#include <atomic>
#include <cstdint>

namespace fabricast::packet {

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
            round_.store(round + 1, std::memory_order_release);
            round_.notify_all();
            return;
        }
        for (int spin = 0; spin < 2000; ++spin) {
            if (round_.load(std::memory_order_acquire) != round) {
                return;
            }
        }
        while (round_.load(std::memory_order_acquire) == round) {
            round_.wait(round, std::memory_order_acquire);
        }
    }

private:
    std::uint32_t threads_;
    alignas(64) std::atomic<std::uint32_t> arrived_{0};
    alignas(64) std::atomic<std::uint32_t> round_{0};
};

}  // namespace fabricast::packet
