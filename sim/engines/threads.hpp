#pragma once
// How many threads may replay: SimGrid's replays are forked children, and only a process with one thread may fork.

#include <algorithm>
#include <cstddef>
#include <thread>

#include "sim/engines/options.hpp"

namespace fabricast {

inline std::size_t cores() { return std::max(1U, std::thread::hardware_concurrency()); }

inline std::size_t threads_for(const Engine& engine, std::size_t threads) {
    return std::holds_alternative<SimGrid>(engine) ? 1 : threads;
}

}  // namespace fabricast
