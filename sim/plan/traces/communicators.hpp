#pragma once
// Who takes part in each call of a recording: ranks of many files are matched, one rank's file stands for all.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/plan/traces/recording.hpp"

namespace fabricast {

// Calls that one recorded rank made on one communicator, in order.
struct Communicator {
    std::string name;
    std::vector<std::uint32_t> members;  // ranks of the job, in the communicator's order
};

// A recording spread over the ranks of its job.
struct RecordedJob {
    std::uint32_t world = 0;
    // Of each replayed rank: its number in the job, and the recorded one whose records it replays.
    std::vector<std::uint32_t> ranks, recorded;
    bool copies = false;  // one recorded rank stands for all
    std::vector<Communicator> communicators;
    std::vector<std::string> notes;  // what is assumed
};

// The ranks of the job and the members of its groups. `gpus` of the cluster bound a recording that names no ranks;
// `world` is what the user says, 0: nothing. Throws InputError where the recording contradicts itself or lacks
// ranks, and JobError where it does not fit the cluster.
struct JobError : std::runtime_error {
    using std::runtime_error::runtime_error;
};
RecordedJob recorded_job(const Recording& recording, std::uint32_t gpus, std::uint32_t world);

// The communicator of `group` as replayed rank `index` (in RecordedJob::ranks) sees it.
std::uint32_t communicator_of(RecordedJob& job, const Recording& recording, std::size_t index, std::uint32_t group);

// The peer of a send or receive of replayed rank `index`: of a copy the one as far away as the original's.
std::uint32_t peer_of(const RecordedJob& job, const Recording& recording, std::size_t index, const Record& record);

}  // namespace fabricast
