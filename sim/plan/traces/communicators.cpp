#include "sim/plan/traces/communicators.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "base/input_error.hpp"

namespace fabricast {

namespace {

bool communicates(RecordKind kind) { return kind != RecordKind::compute && kind != RecordKind::host; }

[[noreturn]] void refuse(const RankRecording& rank, const std::string& message) {
    throw InputError({std::make_shared<const std::string>(rank.source)}, message);
}

bool any_call(const Recording& recording) {
    return std::any_of(recording.ranks.begin(), recording.ranks.end(), [](const RankRecording& rank) {
        return std::any_of(rank.records.begin(), rank.records.end(),
                           [](const Record& r) { return communicates(r.kind); });
    });
}

std::uint32_t world_of(const Recording& recording, std::uint32_t gpus, std::uint32_t asked, RecordedJob& job) {
    const std::uint32_t named = ranks_named(recording);
    if (asked != 0) {
        if (asked < named) {
            throw JobError("the recording speaks of rank " + std::to_string(named - 1) +
                           ", more than 'ranks: " + std::to_string(asked) + "' has");
        }
        return asked;
    }
    if (recording.world != 0) {
        return recording.world;
    }
    const bool alone = recording.ranks.size() == 1;
    const bool open =
        std::any_of(recording.groups.begin(), recording.groups.end(), [](const CommGroup& g) { return g.size == 0; });
    if (alone && any_call(recording) && (open || named <= 1)) {
        const std::uint32_t world = std::max(gpus, named);
        job.notes.push_back("the recording does not say how many ranks the job had: all " + std::to_string(world) +
                            " GPUs of the cluster (`ranks` says another number)");
        return world;
    }
    return named;
}

// The stride of ranks first, first + stride, ...; nullopt if they have no constant stride.
std::optional<std::uint32_t> stride_of(const std::vector<std::uint32_t>& ranks) {
    if (ranks.size() < 2 || ranks[1] <= ranks[0]) {
        return std::nullopt;
    }
    const std::uint32_t stride = ranks[1] - ranks[0];
    for (std::size_t i = 1; i < ranks.size(); ++i) {
        if (ranks[i] != ranks[0] + i * stride) {
            return std::nullopt;
        }
    }
    return stride;
}

std::vector<std::uint32_t> strided(std::uint32_t first, std::uint32_t stride, std::uint32_t size) {
    std::vector<std::uint32_t> ranks(size);
    for (std::uint32_t i = 0; i < size; ++i) {
        ranks[i] = first + i * stride;
    }
    return ranks;
}

void note_once(RecordedJob& job, const std::string& note) {
    if (std::find(job.notes.begin(), job.notes.end(), note) == job.notes.end()) {
        job.notes.push_back(note);
    }
}

std::string shown_group(const CommGroup& group) {
    return group.name.empty() ? "a group of " + std::to_string(group.size) + " ranks" : "group " + shown(group.name);
}

// The corresponding group of `rank`, a copy of the recorded rank: the groups of a job divide its ranks evenly.
std::vector<std::uint32_t> copied(const RecordedJob& job, const RankRecording& recorded, const CommGroup& group,
                                  const std::vector<std::uint32_t>& ranks, std::uint32_t rank) {
    const auto size = static_cast<std::uint32_t>(ranks.size());
    if (size == job.world) {
        return ranks;
    }
    const std::optional<std::uint32_t> stride = stride_of(ranks);
    if (!stride || ranks.front() % (*stride * size) >= *stride || job.world % (*stride * size) != 0) {
        refuse(recorded, "rank " + std::to_string(recorded.rank) + " alone is recorded, and its " + shown_group(group) +
                             " does not repeat over the " + std::to_string(job.world) +
                             " ranks of the job, so that the others' are not known (accepted: a file of each rank)");
    }
    const std::uint32_t block = *stride * size;
    return strided(rank / block * block + rank % *stride, *stride, size);
}

// The members of a group that the recording does not list, as far as they can be concluded.
std::vector<std::uint32_t> assumed(RecordedJob& job, const Recording& recording, const CommGroup& group,
                                   std::uint32_t rank) {
    if (group.size == 0 || group.size == job.world) {
        return strided(0, 1, job.world);
    }
    std::vector<std::uint32_t> callers;
    for (const RankRecording& other : recording.ranks) {
        const bool calls = std::any_of(other.records.begin(), other.records.end(), [&](const Record& r) {
            return r.kind == RecordKind::collective && recording.groups[r.other].name == group.name &&
                   recording.groups[r.other].size == group.size;
        });
        if (calls) {
            callers.push_back(other.rank);
        }
    }
    if (callers.size() == group.size) {
        return callers;
    }
    note_once(job, shown_group(group) + ": the recording does not list its " + std::to_string(group.size) +
                       " ranks, which count as neighbours");
    return strided(rank / group.size * group.size, 1, group.size);
}

}  // namespace

RecordedJob recorded_job(const Recording& recording, std::uint32_t gpus, std::uint32_t world) {
    RecordedJob job;
    if (!any_call(recording)) {
        job.notes.push_back(recording.unsized
                                ? "no call of a known size in it: its communication keeps its recorded time"
                                : "no communication in it: computation only");
        for (const RankRecording& rank : recording.ranks) {
            job.world = std::max(job.world, rank.rank + 1);
        }
        // A single rank that only computes needs one GPU, whatever its number in the job.
        job.world = recording.ranks.size() == 1 ? 1 : job.world;
    } else {
        job.world = world_of(recording, gpus, world, job);
    }
    if (job.world > gpus) {
        throw JobError("the recording is of " + std::to_string(job.world) + " ranks, the cluster has " +
                       std::to_string(gpus) + " GPUs");
    }
    job.copies = recording.ranks.size() == 1 && job.world > 1;
    for (std::uint32_t i = 0; i < (job.copies ? job.world : recording.ranks.size()); ++i) {
        job.recorded.push_back(job.copies ? 0 : i);
        job.ranks.push_back(job.copies ? i : job.world == 1 ? 0 : recording.ranks[i].rank);
    }
    if (job.copies) {
        job.notes.push_back("rank " + std::to_string(recording.ranks.front().rank) + " alone is recorded: all " +
                            std::to_string(job.world) + " ranks do what it did");
    }
    return job;
}

std::uint32_t communicator_of(RecordedJob& job, const Recording& recording, std::size_t index, std::uint32_t number) {
    const CommGroup& group = recording.groups[number];
    const RankRecording& recorded = recording.ranks[job.recorded[index]];
    const std::uint32_t rank = job.ranks[index];
    std::vector<std::uint32_t> ranks =
        group.ranks.empty() ? assumed(job, recording, group, job.copies ? recorded.rank : rank) : group.ranks;
    if (std::find(ranks.begin(), ranks.end(), recorded.rank) == ranks.end() && job.world > 1) {
        refuse(recorded, "rank " + std::to_string(recorded.rank) + " calls a collective of " + shown_group(group) +
                             ", to which it does not belong");
    }
    if (std::set(ranks.begin(), ranks.end()).size() < ranks.size()) {
        refuse(recorded, shown_group(group) + " lists a rank twice");
    }
    if (std::any_of(ranks.begin(), ranks.end(), [&](std::uint32_t r) { return r >= job.world; })) {
        refuse(recorded, shown_group(group) + " has ranks beyond the " + std::to_string(job.world) + " of the job");
    }
    if (job.copies) {
        ranks = copied(job, recorded, group, ranks, rank);
    }
    for (std::uint32_t c = 0; c < job.communicators.size(); ++c) {
        if (job.communicators[c].name == group.name && job.communicators[c].members == ranks) {
            return c;
        }
    }
    job.communicators.push_back({group.name, std::move(ranks)});
    return static_cast<std::uint32_t>(job.communicators.size() - 1);
}

std::uint32_t peer_of(const RecordedJob& job, const Recording& recording, std::size_t index, const Record& record) {
    if (!job.copies) {
        return record.other;
    }
    const std::uint32_t original = recording.ranks.front().rank;
    return (job.ranks[index] + job.world - original + record.other) % job.world;
}

}  // namespace fabricast
