#include "sim/report/summarize_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "sim/report/trace.hpp"

namespace fabricast::inline report {

namespace {

struct Span {
    Time start, end;
};

// The union of spans: sorted, without overlap.
std::vector<Span> united(std::vector<Span> spans) {
    std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.start < b.start; });
    std::vector<Span> out;
    for (const Span& s : spans) {
        if (s.end <= s.start) { continue; }
        if (!out.empty() && s.start <= out.back().end) {
            out.back().end = std::max(out.back().end, s.end);
        } else {
            out.push_back(s);
        }
    }
    return out;
}

double length(const std::vector<Span>& set) {
    double sum = 0;
    for (const Span& s : set) { sum += to_seconds(s.end - s.start); }
    return sum;
}

// The length of `set` outside `hidden`. Precondition: both are united().
double exposed(const std::vector<Span>& set, const std::vector<Span>& hidden) {
    double sum = length(set);
    std::size_t h = 0;
    for (const Span& s : set) {
        while (h < hidden.size() && hidden[h].end <= s.start) { ++h; }
        for (std::size_t i = h; i < hidden.size() && hidden[i].start < s.end; ++i) {
            sum -= to_seconds(std::min(s.end, hidden[i].end) - std::max(s.start, hidden[i].start));
        }
    }
    return std::max(sum, 0.0);
}

const Record& record_of(const TraceFacts& facts, const ReplayedRecord& r) {
    return facts.recording.ranks[facts.job.recorded[r.rank]].records[r.record];
}

std::vector<ReplayRank> rank_rows(const TraceFacts& facts, const Timeline& timeline, const Fabric& fabric) {
    const ReplayedRecords& replayed = facts.replayed;
    struct Lists {
        std::vector<Span> kernels, calls, waits;
        Time end;
    };
    std::vector<Lists> lists(replayed.watched);
    for (const ReplayedRecord& r : replayed.records) {
        Lists& list = lists[r.rank];
        const Span ran{timeline.kept[r.first].start, timeline.kept[r.last].finish};
        const Time arrived = timeline.kept[r.arrived].finish;
        list.end = std::max(list.end, ran.end);
        const RecordKind kind = record_of(facts, r).kind;
        if (kind == RecordKind::compute) {
            list.kernels.push_back(ran);
        } else if (communicates(kind)) {
            list.waits.push_back({arrived, ran.start});
            list.calls.push_back(ran);
        }
    }
    std::vector<ReplayRank> rows;
    for (std::uint32_t i = 0; i < replayed.watched; ++i) {
        Lists& list = lists[i];
        const std::vector<Span> kernels = united(list.kernels), calls = united(list.calls);
        std::vector<Span> either = list.calls;
        either.insert(either.end(), list.waits.begin(), list.waits.end());
        either = united(std::move(either));
        rows.push_back({.rank = facts.job.ranks[i],
                        .device = fabric.device_name(fabric.gpu(facts.job.ranks[i])),
                        .compute_s = length(kernels),
                        .comm_s = length(calls),
                        .waiting_s = exposed(united(std::move(list.waits)), calls),
                        .exposed_s = exposed(either, kernels),
                        .end_s = to_seconds(list.end)});
    }
    return rows;
}

std::vector<ReplayUse> uses(const RecordedJob& job, const ReplayedRecords& replayed, const Timeline& timeline) {
    std::map<std::tuple<std::string, std::size_t, Collective>, ReplayUse> found;
    std::map<std::tuple<std::string, std::size_t>, std::uint32_t> groups;
    for (const CommGroup& c : job.communicators) { ++groups[{c.name, c.size}]; }
    for (const ReplayedCall& call : replayed.calls) {
        const bool message = call.communicator == no_communicator;
        const std::string name = message ? "" : job.communicators[call.communicator].name;
        const std::size_t size = message ? 2 : job.communicators[call.communicator].size;
        ReplayUse& use = found[{name, size, call.collective}];
        use.group = name;
        use.ranks = static_cast<std::uint32_t>(size);
        use.groups = message ? 1 : groups[{name, size}];
        use.collective = to_string(call.collective);
        ++use.calls;
        use.bytes += call.bytes;
        use.time_s += to_seconds(timeline.kept[call.last].finish - timeline.kept[call.first].start);
    }
    std::vector<ReplayUse> list;
    for (auto& [key, use] : found) { list.push_back(std::move(use)); }
    return list;
}

// The link that is busy for at least half of the time, else what takes most of the time of the rank that ends last.
// What remains of a rank's time are the CPU's gaps between kernels; an MSCCL algorithm is a single kernel without gaps.
std::string bottleneck(const Timeline& timeline, const Fabric& fabric, const std::vector<ReplayRank>& members,
                       double makespan, bool one_kernel) {
    if (std::string link = busiest_text(timeline, fabric, 0.5); !link.empty()) { return link; }
    if (members.empty() || !(makespan > 0)) { return "nothing"; }
    const ReplayRank& last = *std::ranges::max_element(members, {}, &ReplayRank::end_s);
    const double rest = makespan - last.compute_s - last.exposed_s;
    const double most = std::max({last.compute_s, last.exposed_s, rest});
    const std::string what = most == last.compute_s   ? "kernels"
                             : most == last.exposed_s ? "exposed communication"
                             : one_kernel             ? "the kernel's start"
                                                      : "the CPU's pace, between kernels";
    return fmt::format("{} of rank {}: {} %", what, last.rank, std::lround(100 * most / makespan));
}

}  // namespace

void summarize(const TraceFacts& facts, const ReplayedPlan& replayed, Report& report) {
    const auto& [recording, job, records] = facts;
    const Timeline& timeline = replayed.timelines.timeline;
    ReplayReport replay;
    replay.format = recording.format;
    replay.recorded = static_cast<std::uint32_t>(recording.ranks.size());
    replay.ranks = static_cast<std::uint32_t>(job.ranks.size());
    replay.steps = recording.steps;
    replay.makespan_s = to_seconds(timeline.makespan);
    Duration span;
    for (const RankRecording& rank : recording.ranks) { span = std::max(span, rank.span); }
    if (span.ps > 0) { replay.recorded_s = to_seconds(span); }
    replay.members = rank_rows(facts, timeline, replayed.fabric);
    replay.uses = uses(job, records, timeline);
    replay.bottleneck =
        bottleneck(timeline, replayed.fabric, replay.members, replay.makespan_s, recording.format == "msccl");
    report.replay = std::move(replay);
    report.traffic.push_back(link_traffic("replay", replayed));
}

std::vector<TraceSpan> spans_of(const TraceFacts& facts, const ReplayedPlan& replayed) {
    const auto& [recording, job, records] = facts;
    const Timeline& timeline = replayed.timelines.timeline;
    std::vector<TraceSpan> spans;
    for (const ReplayedRecord& r : records.records) {
        if (spans.size() == most_spans_per_row) { break; }
        const Record& record = record_of(facts, r);
        std::string name = recording.names[record.name];
        if (communicates(record.kind)) {
            const std::string what(record.kind == RecordKind::collective ? to_string(record.collective)
                                                                         : to_string(record.kind));
            name = what + (name.empty() ? "" : ": " + name);
        } else if (name.empty()) {
            name = to_string(record.kind);
        }
        const std::string lane = record.stream == no_stream ? std::string(to_string(record.kind))
                                                            : (record.kind == RecordKind::host ? "cpu " : "stream ") +
                                                                  std::to_string(record.stream);
        spans.push_back({"rank " + std::to_string(job.ranks[r.rank]), lane, std::move(name),
                         communicates(record.kind) ? timeline.kept[r.arrived].finish : timeline.kept[r.first].start,
                         timeline.kept[r.last].finish});
    }
    return spans;
}

}  // namespace fabricast::inline report
