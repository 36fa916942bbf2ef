#pragma once
// Turns a GPU timeline into records that wait for each other: by recorded stream waits if there are any, else by times.

#include <compare>
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/plan/traces/recording.hpp"

namespace fabricast::inline traces {

inline constexpr std::uint32_t no_call = 0xffffffff;

// Each GPU numbers its streams from the same start: a process that drives two GPUs has two streams 7.
struct GpuStream {
    std::uint64_t gpu = 0, stream = 0;
    auto operator<=>(const GpuStream&) const = default;
};

// A kernel, copy or call on a stream, with the times of the trace's clock.
struct Activity {
    std::int64_t start_ns = 0, end_ns = 0;
    GpuStream stream;
    std::uint64_t launch = 0;    // number of its launch: ascending in launch order; 0: not known
    std::uint64_t external = 0;  // number of the CPU operator that launched it
    std::uint32_t name = 0;
    std::uint32_t call = no_call;
    bool comm = false;
};

// What is launched on `stream` after launch `launch` waits for what was launched on `on` before launch `recorded`.
struct StreamWait {
    GpuStream stream, on;
    std::uint64_t launch = 0, recorded = 0;
};

// Adds the activities to the rank in the order of their starts, with what each waits for and the gap before it:
//  - a stream's activities follow each other;
//  - if stream waits were recorded, they apply; else an NCCL kernel waits for the last activity of each other stream
//    that was launched before it and had ended when it began (ProcessGroupNCCL makes its stream wait for the caller's),
//    and any other activity waits for those of other streams that ended while its own stream was idle;
//  - a gap of at most `prompt_ns` after the last of these is the time to react and becomes `delay`; a longer gap is due
//    to the CPU and becomes `idle` after the stream's previous activity (for an NCCL kernel, `delay` after what it
//    waits for).
inline constexpr std::int64_t prompt_ns = 20'000;
void add_in_order(std::vector<Activity>& activities, const std::vector<StreamWait>& waits, RankRecording& rank,
                  const std::function<Record(const Activity&)>& record_of);

}  // namespace fabricast::inline traces
