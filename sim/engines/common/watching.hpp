#pragma once
// Polls a Watch cheaply from a hot loop.

#include <chrono>

#include "sim/engines/common/watch.hpp"

namespace fabricast {

// Throws Stopped if the stop flag is set.
inline void stop_if_asked(const Watch& watch) {
    if (watch.stop != nullptr && watch.stop->load(std::memory_order_relaxed)) {
        throw Stopped();
    }
}

class Watching {
public:
    explicit Watching(const Watch& watch) : watch_(watch) {}

    // Throws Stopped when the stop flag is set; reports progress at most five times a second.
    void poll(std::size_t done, std::size_t total) {
        if (++calls_ % 1024 != 1) {
            return;
        }
        stop_if_asked(watch_);
        if (!watch_.progress) {
            return;
        }
        const auto now = std::chrono::steady_clock::now();
        if (now - last_ >= std::chrono::milliseconds(200)) {
            last_ = now;
            watch_.progress(total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 1);
        }
    }

private:
    const Watch& watch_;
    std::size_t calls_ = 0;
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace fabricast
