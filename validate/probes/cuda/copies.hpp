#pragma once
// Runs the copies of one test at one size: filled, gated, timed by events, checked.

#include <cstdint>
#include <vector>

#include "core/sweep.hpp"
#include "cuda/buffers.hpp"
#include "cuda/plan.hpp"

namespace probe {

struct CopyResult {
    int iterations = 1;
    std::vector<double> times_us;  // of one copy of every path, all paths at once
    std::uint64_t checked_bytes = 0;
};

// Throws OutOfMemory where the buffers do not fit, WrongData, Stopped, or CUDA's error. `cache_bytes` is the largest
// second-level cache on the way.
CopyResult run_copies(const CopyTest& test, const GpuSet& gpus, std::uint64_t bytes, const SamplingRule& rule,
                      std::uint64_t cache_bytes, std::uint64_t seed);

}  // namespace probe
