#pragma once
// How a replay is watched, and why it may end early.

#include <atomic>
#include <functional>

#include "base/error.hpp"

namespace fabricast {

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

}  // namespace fabricast
