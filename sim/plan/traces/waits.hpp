#pragma once
// From a GPU timeline to records that wait for each other: recorded stream waits where there are any, else what the
// times allow to conclude.

#include <compare>
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/plan/traces/recording.hpp"

namespace fabricast {

inline constexpr std::uint32_t no_call = 0xffffffff;

// GPUs number their streams each from the same start: one process that drives two has two streams 7.
struct GpuStream {
    std::uint64_t gpu = 0, stream = 0;
    auto operator<=>(const GpuStream&) const = default;
};

// Something on a stream, as the clock of the trace saw it.
struct Activity {
    std::int64_t start_ns = 0, end_ns = 0;
    GpuStream stream;
    std::uint64_t launch = 0;    // number of its launch: ascending in launch order; 0: not known
    std::uint64_t external = 0;  // number of the CPU operator that launched it
    std::uint32_t name = 0;
    std::uint32_t call = no_call;
    bool comm = false;
};

// What `stream` runs after launch number `launch` waits for what `on` had been given before launch number `recorded`.
struct StreamWait {
    GpuStream stream, on;
    std::uint64_t launch = 0, recorded = 0;
};

// Adds the activities to the rank in the order of their starts, with what each waits for and the gap in front of it:
//  - a stream's activities follow each other;
//  - where stream waits were recorded, they hold; else an NCCL kernel waits for the last activity of each other stream
//    that was launched before it and had ended when it began (ProcessGroupNCCL makes its stream wait for the caller's),
//    and any other activity waits for those of other streams that ended while its own stream stood idle;
//  - a gap of at most `prompt` behind the last of these is the time to react and stays as `delay`; a longer one is the
//    CPU's own pace, and stays as `idle` behind the stream's own predecessor (for an NCCL kernel behind what it waits
//    for).
inline constexpr std::int64_t prompt_ns = 20'000;
void add_in_order(std::vector<Activity>& activities, const std::vector<StreamWait>& waits, RankRecording& rank,
                  const std::function<Record(const Activity&)>& record_of);

}  // namespace fabricast
