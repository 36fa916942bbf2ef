#pragma once
// Runs the copies of one test at one size: filled, gated, timed by events, checked.

#include <cstdint>

#include "core/sweep.hpp"
#include "cuda/plan.hpp"

namespace probe {

// The times are of one copy of every path, all paths at once. Throws OutOfMemory where the buffers do not fit,
// WrongData, Stopped, or CUDA's error. `cache_bytes` is the largest second-level cache on the way.
Samples run_copies(const CopyTest& test, const GpuSet& gpus, std::uint64_t bytes, const SamplingRule& rule,
                   std::uint64_t cache_bytes, std::uint64_t seed);

}  // namespace probe
