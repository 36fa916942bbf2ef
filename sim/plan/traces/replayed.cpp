#include "sim/plan/traces/replayed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>

#include "sim/engines/engine.hpp"
#include "sim/plan/traces/dependents.hpp"
#include "sim/plan/traces/match.hpp"

namespace fabricast::inline traces {

namespace {

constexpr std::size_t most_watched_records = 2'000'000;
constexpr std::uint32_t nothing = no_partner;

class ReplayBuilder {
public:
    ReplayBuilder(const Recording& recording, RecordedJob& job, const Fabric& fabric, const GpuScaling& scaling,
                  PlannedCalls& calls)
        : recording_(recording), job_(job), fabric_(fabric), scaling_(scaling), calls_(calls) {}

    Replayed run() {
        prepare();
        for (std::uint32_t r = 0; r < job_.ranks.size(); ++r) {
            for (std::uint32_t i = 0; i < recorded(r).records.size(); ++i) {
                const RecordAt n{r, i};
                const bool expects = record_of(n).kind == RecordKind::receive &&
                                     matching_.partner[index(n)] != nothing && matching_.partner[index(n)] != index(n);
                waiting_[index(n)] += expects ? 1 : 0;  // it also waits for the message
                if (waiting_[index(n)] == 0) { queue_.push_back(n); }
            }
        }
        while (!queue_.empty()) {
            const RecordAt n = queue_.front();
            queue_.pop_front();
            ready(n);
        }
        if (finished_ < waiting_.size()) { stuck(); }
        return std::move(out_);
    }

private:
    const RankRecording& recorded(std::uint32_t rank) const { return recording_.ranks[job_.recorded[rank]]; }
    const Record& record_of(RecordAt n) const { return recorded(n.rank).records[n.record]; }
    std::size_t index(RecordAt n) const { return matching_.index(n); }
    const Dependents& dependents(RecordAt n) const { return dependents_[job_.recorded[n.rank]]; }

    void prepare() {
        for (const RankRecording& rank : recording_.ranks) { dependents_.emplace_back(rank); }
        matching_ = match_records(recording_, job_);
        out_.notes = std::move(matching_.notes);
        const std::size_t total = matching_.partner.size();
        waiting_.reserve(total);
        for (std::uint32_t r = 0; r < job_.ranks.size(); ++r) {
            const std::vector<std::uint32_t>& waits = dependents_[job_.recorded[r]].waits;
            waiting_.insert(waiting_.end(), waits.begin(), waits.end());
            out_.watched += matching_.first[r] + waits.size() <= most_watched_records || r == 0 ? 1 : 0;
        }
        last_.assign(total, OpId{});
        arrived_.resize(matching_.calls.size());
        released_.resize(matching_.calls.size());
    }

    void ready(RecordAt n) {
        switch (record_of(n).kind) {
            case RecordKind::collective: return arrive(n);
            case RecordKind::send: return emit_message(n);
            case RecordKind::receive: return emit_receive(n);
            case RecordKind::compute:
            case RecordKind::host: break;
        }
        const Record& record = record_of(n);
        const std::vector<Schedule::Dependency> waits = waits_of(n);
        OpId op{};
        if (record.flops > 0 || record.bytes > 0) {
            Compute compute;
            compute.device = fabric_.gpu(job_.ranks[n.rank]);
            compute.stream = record.stream;
            compute.flops = record.flops;
            compute.bytes = record.bytes;
            compute.peak = peak_of(scaling_.simulated, record.dtype);
            op = out_.schedule.add(compute, waits);
        } else {
            op = delay(n, from_seconds(to_seconds(record.time) * scaling_.factor(record)), waits);
        }
        watch(n, op, {op, op});
        done(n, op);
    }

    void emit_message(RecordAt n) {
        const Record& record = record_of(n);
        const OpId arrived = delay(n, {}, waits_of(n));
        const std::uint32_t to = peer_of(job_, recording_, n.rank, record), from = job_.ranks[n.rank];
        PlannedCalls::Added ran{arrived, arrived};
        if (to != from) {  // else it takes no time, as a note says
            ran = send(n, from, to, arrived);
            watch_call(n, no_communicator, record.bytes, ran);
        }
        watch(n, arrived, ran);
        done(n, ran.last);
        if (const std::uint32_t to_record = matching_.partner[index(n)];
            to_record != nothing && --waiting_[to_record] == 0) {
            const auto r = std::upper_bound(matching_.first.begin(), matching_.first.end(), to_record) -
                           matching_.first.begin() - 1;
            queue_.push_back({static_cast<std::uint32_t>(r),
                              static_cast<std::uint32_t>(to_record - matching_.first[static_cast<std::size_t>(r)])});
        }
    }

    // Done when the message has arrived. A message without a known send starts when the receiver is ready; one that
    // counts as already sent is there at once.
    void emit_receive(RecordAt n) {
        const Record& record = record_of(n);
        const OpId arrived = delay(n, {}, waits_of(n));
        const std::uint32_t from = peer_of(job_, recording_, n.rank, record), to = job_.ranks[n.rank];
        const std::uint32_t partner = matching_.partner[index(n)];
        PlannedCalls::Added ran{arrived, arrived};
        if (partner == nothing && from != to) {
            ran = send(n, from, to, arrived);
            watch_call(n, no_communicator, record.bytes, ran);
        } else if (partner != nothing && partner != index(n)) {
            const std::array<Schedule::Dependency, 2> both = {{{arrived}, {last_[partner]}}};
            ran.first = ran.last = delay(n, {}, both);
        }
        watch(n, arrived, ran);
        done(n, ran.last);
    }

    void arrive(RecordAt n) {
        const OpId arrived = delay(n, {}, waits_of(n));
        const std::uint32_t number = matching_.partner[index(n)];
        if (number == nothing) {  // the other members did not record it
            return done(n, arrived);
        }
        MatchedCall& call = matching_.calls[number];
        arrived_[number].push_back(arrived);
        if (arrived_[number].size() < call.members.size()) {
            last_[index(n)] = arrived;
            return;
        }
        std::vector<Schedule::Dependency> all;
        double bytes = 0;
        for (const OpId op : arrived_[number]) { all.push_back({op}); }
        for (const RecordAt member : call.members) {
            last_[index(member)] = index(member) == index(n) ? arrived : last_[index(member)];
            bytes = std::max(bytes, record_of(member).bytes);
        }
        const CommGroup& communicator = job_.communicators[call.communicator];
        PlannedCalls::Added ran{arrived, arrived};
        if (communicator.size > 1) {
            group_of_communicator_.resize(job_.communicators.size(), nothing);
            std::uint32_t& group = group_of_communicator_[call.communicator];
            group = group == nothing ? calls_.group(communicator.ranks) : group;
            const Record& first = record_of(call.members.front());
            ran = calls_.add(out_.schedule, group, {first.collective, first.dtype, rounded_bytes(bytes), first.root},
                             all);
            watch_call(call.members.front(), call.communicator, bytes, ran);
        }
        released_[number] = ran.released;
        for (const RecordAt member : call.members) { watch(member, last_[index(member)], ran); }
        const std::vector<RecordAt> members = std::move(call.members);
        arrived_[number] = {};
        for (const RecordAt member : members) { done(member, ran.last); }
    }

    void done(RecordAt n, OpId last) {
        last_[index(n)] = last;
        ++finished_;
        const Dependents& d = dependents(n);
        for (std::uint32_t i = d.begin[n.record]; i < d.begin[n.record + 1]; ++i) {
            if (--waiting_[matching_.first[n.rank] + d.list[i]] == 0) { queue_.push_back({n.rank, d.list[i]}); }
        }
    }

    // Whether record n is a call of the same group, kind and root as this one: the root starts it when it has sent the
    // other's stream, which may still be on its way (collectives.md, 3).
    bool follows_its_like(RecordAt n, std::uint32_t earlier) const {
        const Record &a = record_of({n.rank, earlier}), &b = record_of(n);
        const bool calls = a.kind == RecordKind::collective && b.kind == a.kind;
        const bool alike = a.collective == b.collective && a.other == b.other && a.root == b.root;
        return calls && alike && matching_.partner[index({n.rank, earlier})] != nothing;
    }

    // What a record waits for, with the times after its stream's previous record (idle) and after all others (delay).
    std::vector<Schedule::Dependency> waits_of(RecordAt n) {
        const Record& record = record_of(n);
        const std::uint32_t before = dependents(n).before[n.record];
        const auto last_of = [&](std::uint32_t earlier) {
            const std::size_t at = matching_.first[n.rank] + earlier;
            const bool overlaps = follows_its_like(n, earlier);
            return Schedule::Dependency{overlaps ? released_[matching_.partner[at]] : last_[at]};
        };
        std::vector<Schedule::Dependency> waits;
        dependents(n).for_each_wait(recorded(n.rank), n.record,
                                    [&](std::uint32_t earlier) { waits.push_back(last_of(earlier)); });
        if (record.idle.ps > 0) {
            std::vector<Schedule::Dependency> own;
            if (before != nothing) { own.push_back(last_of(before)); }
            waits.push_back({delay(n, record.idle, own)});
        }
        if (record.protocol != Protocol::automatic && before == nothing) {
            // The first step of a thread block: all blocks of a kernel start together, whatever this step waits for.
            waits.push_back({delay(n, calls_.kernel_start(record.protocol), {})});
        }
        if (record.delay.ps > 0) { waits.assign(1, {delay(n, record.delay, waits)}); }
        return waits;
    }

    PlannedCalls::Added send(RecordAt n, std::uint32_t from, std::uint32_t to, OpId after) {
        const Record& record = record_of(n);
        const std::array<Schedule::Dependency, 1> behind = {{{after}}};
        return calls_.send(out_.schedule, from, to, rounded_bytes(record.bytes), record.protocol, behind);
    }

    OpId delay(RecordAt n, Duration span, std::span<const Schedule::Dependency> waits) {
        return out_.schedule.add(Delay{lane(n), span}, waits);
    }

    std::uint32_t lane(RecordAt n) {
        const std::uint16_t stream = record_of(n).stream;
        if (stream == no_stream) { return next_lane_++; }
        const auto [place, is_new] = lanes_.try_emplace({n.rank, stream}, next_lane_);
        next_lane_ += is_new ? 1 : 0;
        return place->second;
    }

    std::uint32_t keep(OpId op) {
        if (out_.schedule.kept.empty() || out_.schedule.kept.back() != op) { out_.schedule.kept.push_back(op); }
        return static_cast<std::uint32_t>(out_.schedule.kept.size() - 1);
    }

    void watch(RecordAt n, OpId arrived, PlannedCalls::Added ran) {
        if (n.rank < out_.watched) {
            out_.records.push_back({n.rank, n.record, keep(arrived), keep(ran.first), keep(ran.last)});
        }
    }

    void watch_call(RecordAt n, std::uint32_t communicator, double bytes, PlannedCalls::Added ran) {
        if (out_.calls.size() < most_watched_records) {
            const bool message = communicator == no_communicator;
            out_.calls.push_back({communicator, message ? Collective::sendrecv : record_of(n).collective, bytes,
                                  keep(ran.first), keep(ran.last)});
        }
    }

    [[noreturn]] void stuck() const {
        for (std::uint32_t r = 0; r < job_.ranks.size(); ++r) {
            for (std::uint32_t i = 0; i < recorded(r).records.size(); ++i) {
                const RecordAt n{r, i};
                const std::uint32_t partner = matching_.partner[index(n)];
                const bool waits_for_send = record_of(n).kind == RecordKind::receive && waiting_[index(n)] == 1 &&
                                            partner != nothing && last_[partner] == OpId{};
                const bool waits_for_others = record_of(n).kind == RecordKind::collective && waiting_[index(n)] == 0 &&
                                              partner != nothing && !matching_.calls[partner].members.empty();
                if (waits_for_send || waits_for_others) {
                    throw CannotEnd(
                        "ranks of the recording wait for each other: {} waits for {}, which wait for something else "
                        "first",
                        place_of(recording_, recorded(r), i),
                        waits_for_send ? fmt::format("a send of rank {}", peer_of(job_, recording_, r, record_of(n)))
                                       : "the others of its group");
                }
            }
        }
        throw CannotEnd("ranks of the recording wait for each other");
    }

    const Recording& recording_;
    RecordedJob& job_;
    const Fabric& fabric_;
    const GpuScaling& scaling_;
    PlannedCalls& calls_;
    Replayed out_;
    std::vector<Dependents> dependents_;  // for each recorded rank
    Matching matching_;                   // the vectors below have its order
    std::vector<std::uint32_t> waiting_;  // by record: how many others it still waits for
    std::vector<OpId> last_;              // by record: its last operation
    std::deque<RecordAt> queue_;
    std::size_t finished_ = 0;
    std::map<std::pair<std::uint32_t, std::uint16_t>, std::uint32_t> lanes_;
    std::uint32_t next_lane_ = 0;
    std::vector<std::vector<OpId>> arrived_;            // by call: arrivals of its members so far
    std::vector<OpId> released_;                        // by call: when the next one like it may start
    std::vector<std::uint32_t> group_of_communicator_;  // numbers in calls_
};

}  // namespace

Replayed make_replayed(const Recording& recording, RecordedJob& job, const Fabric& fabric, const GpuScaling& scaling,
                       PlannedCalls& calls) {
    return ReplayBuilder(recording, job, fabric, scaling, calls).run();
}

}  // namespace fabricast::inline traces
