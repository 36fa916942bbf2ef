#pragma once
// Finds what belongs together of different ranks: the calls of a communicator, and each send with its receive.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/plan/traces/communicators.hpp"
#include "sim/plan/traces/recording.hpp"

namespace fabricast::inline traces {

// A record of one replayed rank: indices in RecordedJob::ranks and in that rank's recording.
struct RecordAt {
    std::uint32_t rank = 0, record = 0;
};

struct MatchedCall {
    std::uint32_t communicator = 0;  // index in RecordedJob
    std::vector<RecordAt> members;
};

inline constexpr std::uint32_t no_partner = 0xffffffff;

struct Matching {
    std::vector<std::size_t> first;      // by replayed rank: where its records begin in `partner`
    std::vector<std::uint32_t> partner;  // by record: its call's number, or the index of the other end's record
    std::vector<MatchedCall> calls;
    std::vector<std::string> notes;  // what was left out

    std::size_t index(RecordAt n) const { return first[n.rank] + n.record; }
};

// Throws InputError if calls or messages do not match, JobError if the job is too large.
Matching match_records(const Recording& recording, RecordedJob& job);

}  // namespace fabricast::inline traces
