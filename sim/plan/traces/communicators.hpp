#pragma once
// Who takes part in each call of a recording: ranks from many files are matched; a single file represents all ranks.

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "sim/plan/traces/recording.hpp"

namespace fabricast::inline traces {

// A recording spread over the ranks of its job.
struct RecordedJob {
    std::uint32_t world = 0;
    // For each replayed rank: its number in the job, and the index of the recorded rank whose records it replays.
    std::vector<std::uint32_t> ranks, recorded;
    bool copies = false;                   // one recorded rank represents all
    std::vector<CommGroup> communicators;  // all of them with their ranks of the job
    std::vector<std::string> notes;        // what is assumed
};

// The job does not fit the cluster, or is too large to be replayed.
struct JobError : ErrorWith<ExitCode::bad_input> {
    using ErrorWith::ErrorWith;
};

// The ranks of the job. `gpus` is the size of the cluster, which sets the size of a job whose recording names no ranks;
// `world` is the number of ranks that the user states, 0: none. Throws JobError. This function and communicator_of
// throw InputError if the recording contradicts itself or lacks ranks.
RecordedJob recorded_job(const Recording& recording, std::uint32_t gpus, std::uint32_t world);

// The communicator of `group` as replayed rank `index` (in RecordedJob::ranks) sees it.
std::uint32_t communicator_of(RecordedJob& job, const Recording& recording, std::size_t index, std::uint32_t group);

// The peer of a send or receive of replayed rank `index`; for a copy, that at the same distance as the original's.
std::uint32_t peer_of(const RecordedJob& job, const Recording& recording, std::size_t index, const Record& record);

}  // namespace fabricast::inline traces
