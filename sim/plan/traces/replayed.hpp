#pragma once
// Recording + Fabric + Catalog -> Schedule: kernels are scaled to the cluster's GPU, communication is planned anew, and
// each starts as soon as its rank's records allow.

#include <cstdint>
#include <string>
#include <vector>

#include "sim/engines/common/schedule.hpp"
#include "sim/plan/traces/communicators.hpp"
#include "sim/plan/traces/gpu_scaling.hpp"
#include "sim/plan/traces/planned_calls.hpp"
#include "sim/plan/traces/recording.hpp"

namespace fabricast::inline traces {

// A replayed rank's record in the schedule. `arrived`, `first` and `last` index Schedule::kept: a call waits from the
// end of `arrived` on, and runs from the start of `first` to the finish of `last`; for others all three are one.
struct ReplayedRecord {
    std::uint32_t rank = 0;    // index in RecordedJob::ranks
    std::uint32_t record = 0;  // index in the rank's recording
    std::uint32_t arrived = 0, first = 0, last = 0;
};

// A call, listed once for all of its members.
struct ReplayedCall {
    std::uint32_t communicator = 0;  // index in RecordedJob; no_communicator: a message
    Collective collective = Collective::sendrecv;
    double bytes = 0;
    std::uint32_t first = 0, last = 0;  // in Schedule::kept
};
inline constexpr std::uint32_t no_communicator = 0xffffffff;

struct ReplayedRecords {
    std::vector<ReplayedRecord> records;  // of the watched ranks
    std::vector<ReplayedCall> calls;
    std::uint32_t watched = 0;  // ranks [0, watched) of RecordedJob::ranks have their records listed above
};

struct Replayed : ReplayedRecords {
    Schedule schedule;
    std::vector<std::string> notes;  // what was left out
};

// Throws InputError if calls do not match, CannotEnd if ranks wait for each other in a circle, PlanError, JobError.
Replayed make_replayed(const Recording& recording, RecordedJob& job, const Fabric& fabric, const GpuScaling& scaling,
                       PlannedCalls& calls);

}  // namespace fabricast::inline traces
