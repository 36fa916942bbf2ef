#pragma once
// How a replay is watched, and why it may end early.

#include <atomic>
#include <chrono>
#include <functional>

#include "base/error.hpp"

namespace fabricast::inline engine_common {

// Polled while a replay runs; never changes its result.
struct Watch {
    const std::atomic<bool>* stop = nullptr;               // set by Ctrl-C
    std::function<void(double share_done)> progress = {};  // 0..1, called at most a few times a second
};

// The replay was asked to stop.
struct Stopped : ErrorWith<ExitCode::interrupted> {
    Stopped() : ErrorWith("stopped") {}
};

// This build or machine lacks the engine (exit code 4).
struct MissingEngine : ErrorWith<ExitCode::missing_here> {
    using ErrorWith::ErrorWith;
};

// The schedule cannot end: the message names devices and links (exit code 3).
struct CannotEnd : ErrorWith<ExitCode::cannot_end> {
    using ErrorWith::ErrorWith;
};

// The replay needs more memory than there is, or numbers too large for its engine.
struct TooLarge : ErrorWith<ExitCode::bad_input> {
    using ErrorWith::ErrorWith;
};

// Throws Stopped if the stop flag is set.
inline void stop_if_asked(const Watch& watch) {
    if (watch.stop != nullptr && watch.stop->load(std::memory_order_relaxed)) { throw Stopped(); }
}

// Polls a Watch cheaply from a hot loop.
class Watching {
public:
    explicit Watching(const Watch& watch) : watch_(watch) {}

    // Throws Stopped when the stop flag is set; reports progress at most five times a second.
    void poll(std::size_t done, std::size_t total) {
        if (++calls_ % 1024 != 1) { return; }
        stop_if_asked(watch_);
        if (!watch_.progress) { return; }
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

}  // namespace fabricast::inline engine_common
