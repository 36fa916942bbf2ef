#pragma once
// How a replay is watched, and why it may end early.

#include <atomic>
#include <functional>
#include <stdexcept>

namespace fabricast {

// Polled while a replay runs; never changes its result.
struct Watch {
    const std::atomic<bool>* stop = nullptr;               // set by Ctrl-C
    std::function<void(double share_done)> progress = {};  // 0..1, called at most a few times a second
};

// The replay was asked to stop.
struct Stopped : std::runtime_error {
    Stopped() : std::runtime_error("stopped") {}
};

// This build or machine lacks the engine (exit code 4).
struct MissingEngine : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The schedule cannot end: the message names devices and links (exit code 3).
struct CannotEnd : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The replay needs more memory than there is, or numbers too large for its engine.
struct TooLarge : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace fabricast
