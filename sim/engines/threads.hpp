#pragma once
// How many threads may replay.

#include <algorithm>
#include <cstddef>
#include <thread>

#include "sim/engines/engines.hpp"

namespace fabricast {

inline std::size_t cores() { return std::max(1U, std::thread::hardware_concurrency()); }

inline std::size_t threads_for(const Engine& engine, std::size_t threads) {
    return traits_of(engine).one_thread ? 1 : threads;
}

}  // namespace fabricast
