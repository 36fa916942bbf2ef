#include "sim/plan/traces/communicators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "models/evidence.hpp"

namespace fabricast::inline traces {

namespace {

bool any_call(const Recording& recording) {
    return recording.any_record([](const Record& r) { return communicates(r.kind); });
}

std::uint32_t world_of(const Recording& recording, std::uint32_t gpus, std::uint32_t asked, RecordedJob& job) {
    const std::uint32_t named = ranks_named(recording);
    if (asked != 0) {
        if (asked < named) {
            throw JobError("the recording speaks of rank {}, more than 'ranks: {}' has", named - 1, asked);
        }
        return asked;
    }
    if (recording.world != 0) { return recording.world; }
    const bool alone = recording.ranks.size() == 1;
    const bool open = std::ranges::count(recording.groups, 0U, &CommGroup::size) > 0;
    if (alone && any_call(recording) && (open || named <= 1)) {
        const std::uint32_t world = std::max(gpus, named);
        job.notes.push_back(fmt::format(
            "the recording does not say how many ranks the job had: all {} GPUs of the cluster (`ranks` says another "
            "number)",
            world));
        return world;
    }
    return named;
}

// The stride of ranks first, first + stride, ...; nullopt if they have no constant stride.
std::optional<std::uint32_t> stride_of(const std::vector<std::uint32_t>& ranks) {
    if (ranks.size() < 2 || ranks[1] <= ranks[0]) { return std::nullopt; }
    const std::uint32_t stride = ranks[1] - ranks[0];
    const bool constant = ranks == strided_ranks(ranks[0], stride, static_cast<std::uint32_t>(ranks.size()));
    return constant ? std::optional(stride) : std::nullopt;
}

std::string shown_group(const CommGroup& group) {
    return group.name.empty() ? fmt::format("a group of {} ranks", group.size) : "group " + shown(group.name);
}

// The corresponding group of `rank`, a copy of the recorded rank: the groups of a job divide its ranks evenly.
std::vector<std::uint32_t> copied(const RecordedJob& job, const RankRecording& recorded, const CommGroup& group,
                                  const std::vector<std::uint32_t>& ranks, std::uint32_t rank) {
    const auto size = static_cast<std::uint32_t>(ranks.size());
    if (size == job.world) { return ranks; }
    const std::optional<std::uint32_t> stride = stride_of(ranks);
    if (!stride || ranks.front() % (*stride * size) >= *stride || job.world % (*stride * size) != 0) {
        throw InputError(recorded.source,
                         fmt::format("rank {} alone is recorded, and its {} does not repeat over the {} ranks of the "
                                     "job, so that the others' are not known (accepted: a file of each rank)",
                                     recorded.rank, shown_group(group), job.world));
    }
    const std::uint32_t block = *stride * size;
    return strided_ranks(rank / block * block + rank % *stride, *stride, size);
}

// The members of a group that the recording does not list, as far as they can be concluded.
std::vector<std::uint32_t> assumed(RecordedJob& job, const Recording& recording, const CommGroup& group,
                                   std::uint32_t rank) {
    if (group.size == 0 || group.size == job.world) { return strided_ranks(0, 1, job.world); }
    std::vector<std::uint32_t> callers;
    for (const RankRecording& other : recording.ranks) {
        const bool calls = std::ranges::any_of(other.records, [&](const Record& r) {
            return r.kind == RecordKind::collective && recording.groups[r.other].name == group.name &&
                   recording.groups[r.other].size == group.size;
        });
        if (calls) { callers.push_back(other.rank); }
    }
    if (callers.size() == group.size) { return callers; }
    merge_notes(job.notes, {fmt::format("{}: the recording does not list its {} ranks, which count as neighbours",
                                        shown_group(group), group.size)});
    return strided_ranks(rank / group.size * group.size, 1, group.size);
}

}  // namespace

RecordedJob recorded_job(const Recording& recording, std::uint32_t gpus, std::uint32_t world) {
    RecordedJob job;
    if (!any_call(recording)) {
        job.notes.push_back(recording.unsized
                                ? "no call of a known size in it: its communication keeps its recorded time"
                                : "no communication in it: computation only");
        for (const RankRecording& rank : recording.ranks) { job.world = std::max(job.world, rank.rank + 1); }
        // A single rank that only computes needs one GPU, whatever its number in the job.
        job.world = recording.ranks.size() == 1 ? 1 : job.world;
    } else {
        job.world = world_of(recording, gpus, world, job);
    }
    if (job.world > gpus) { throw JobError("the recording is of {} ranks, the cluster has {} GPUs", job.world, gpus); }
    job.copies = recording.ranks.size() == 1 && job.world > 1;
    for (std::uint32_t i = 0; i < (job.copies ? job.world : recording.ranks.size()); ++i) {
        job.recorded.push_back(job.copies ? 0 : i);
        job.ranks.push_back(job.copies ? i : job.world == 1 ? 0 : recording.ranks[i].rank);
    }
    if (job.copies) {
        job.notes.push_back(fmt::format("rank {} alone is recorded: all {} ranks do what it did",
                                        recording.ranks.front().rank, job.world));
    }
    return job;
}

std::uint32_t communicator_of(RecordedJob& job, const Recording& recording, std::size_t index, std::uint32_t number) {
    const CommGroup& group = recording.groups[number];
    const RankRecording& recorded = recording.ranks[job.recorded[index]];
    const std::uint32_t rank = job.ranks[index];
    std::vector<std::uint32_t> ranks =
        group.ranks.empty() ? assumed(job, recording, group, job.copies ? recorded.rank : rank) : group.ranks;
    if (std::ranges::count(ranks, recorded.rank) == 0 && job.world > 1) {
        throw InputError(recorded.source, fmt::format("rank {} calls a collective of {}, to which it does not belong",
                                                      recorded.rank, shown_group(group)));
    }
    if (std::set(ranks.begin(), ranks.end()).size() < ranks.size()) {
        throw InputError(recorded.source, shown_group(group) + " lists a rank twice");
    }
    if (std::ranges::any_of(ranks, [&](std::uint32_t r) { return r >= job.world; })) {
        throw InputError(recorded.source,
                         fmt::format("{} has ranks beyond the {} of the job", shown_group(group), job.world));
    }
    if (job.copies) { ranks = copied(job, recorded, group, ranks, rank); }
    const auto size = static_cast<std::uint32_t>(ranks.size());
    return group_number(job.communicators, {group.name, size, std::move(ranks)});
}

std::uint32_t peer_of(const RecordedJob& job, const Recording& recording, std::size_t index, const Record& record) {
    if (!job.copies) { return record.other; }
    const std::uint32_t original = recording.ranks.front().rank;
    return (job.ranks[index] + job.world - original + record.other) % job.world;
}

}  // namespace fabricast::inline traces
