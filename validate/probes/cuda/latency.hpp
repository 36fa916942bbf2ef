#pragma once
// What single accesses, small copies, launches and events cost.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/sweep.hpp"
#include "cuda/plan.hpp"

namespace probe {

// One thread of `reader` follows a random cycle through `bytes` of memory at `place` (a GPU that it reaches, or pinned
// host memory), one place in 256 B: a load's whole way, there and back. The walk must end where the cycle says.
Samples chase_pointers(int reader, int place, std::uint64_t bytes, const SamplingRule& rule, std::uint64_t seed);

// A copy between `from` and `to` (one of them the host, pinned) and the wait for it, as the calling thread sees both.
Samples copy_and_wait(const Path& path, std::uint64_t bytes, const SamplingRule& rule, std::uint64_t seed);

// One GPU's overheads: "launch_call" (a kernel's launch until the call returns), "launch_wait" (until it has run),
// "launch_gap" (between two kernels already queued), "event_call" (recording an event), "event_pair" (what two events
// in a row say that nothing takes).
std::vector<std::pair<std::string, Samples>> measure_overheads(int gpu, const SamplingRule& rule);

}  // namespace probe
