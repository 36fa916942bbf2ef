#pragma once
// One question, several ways to answer it: replay this Schedule on this Fabric.

#include <atomic>
#include <functional>
#include <stdexcept>
#include <variant>
#include <vector>

#include "sim/engines/link_event.hpp"
#include "sim/engines/packet/options.hpp"
#include "sim/schedule.hpp"
#include "sim/timeline.hpp"

namespace fabricast {

// Closed forms: exact where nothing contends, instant everywhere.
struct Analytic {};

// Fluid, event-driven, max-min fair; the default.
struct Flow {
    // Completions within this span are treated as simultaneous; 0 is exact. The report states the error bound.
    Duration merge_tolerance{};
};

// The independent referee; absent from builds without SimGrid (then replay throws MissingEngine).
struct SimGrid {};

using Engine = std::variant<Flow, Analytic, SimGrid, Packet>;

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

Timeline replay(const Engine& engine, const Fabric& fabric, const Schedule& schedule,
                const std::vector<LinkEvent>& events = {}, const Watch& watch = {});

}  // namespace fabricast
