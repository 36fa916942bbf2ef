#include "sim/workloads/import/lower.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <tuple>

#include "sim/engines/engine.hpp"
#include "sim/io/place.hpp"

namespace fabricast {

namespace {

constexpr std::size_t most_watched_records = 2'000'000;
constexpr std::uint32_t nothing = 0xffffffff;

// Who waits for a record of a recorded rank: the same for all its copies.
struct Dependents {
    std::vector<std::uint32_t> begin, list, waits;  // waits: of how many others each record waits
    std::vector<std::uint32_t> before;              // the stream's record before; nothing: it is the first

    explicit Dependents(const RankRecording& rank) {
        const std::size_t n = rank.records.size();
        begin.assign(n + 1, 0);
        waits.assign(n, 0);
        before.assign(n, nothing);
        std::map<std::uint16_t, std::uint32_t> last;
        for (std::uint32_t i = 0; i < n; ++i) {
            if (rank.records[i].stream != no_stream) {
                const auto [place, is_new] = last.try_emplace(rank.records[i].stream, i);
                before[i] = is_new ? nothing : place->second;
                place->second = i;
            }
            for_each_wait(rank, i, [&](std::uint32_t earlier) {
                ++begin[earlier];
                ++waits[i];
            });
        }
        std::uint32_t sum = 0;
        for (std::uint32_t& b : begin) {
            b += sum;
            sum = b;
        }
        list.resize(sum);
        for (auto i = static_cast<std::uint32_t>(n); i-- > 0;) {
            for_each_wait(rank, i, [&](std::uint32_t earlier) { list[--begin[earlier]] = i; });
        }
    }

    template <class Visit>
    void for_each_wait(const RankRecording& rank, std::uint32_t record, Visit&& visit) const {
        for (const std::uint32_t earlier : rank.after(record)) {
            visit(earlier);
        }
        if (before[record] != nothing) {
            visit(before[record]);
        }
    }
};

struct Node {
    std::uint32_t rank = 0, record = 0;
};

class Lowering {
public:
    Lowering(const Recording& recording, RecordedJob& job, const Fabric& fabric, const GpuScaling& scaling,
             PlannedCalls& calls)
        : recording_(recording), job_(job), fabric_(fabric), scaling_(scaling), calls_(calls) {}

    Replayed run();

private:
    const RankRecording& recorded(std::uint32_t rank) const { return recording_.ranks[job_.recorded[rank]]; }
    const Record& record_of(Node n) const { return recorded(n.rank).records[n.record]; }
    std::size_t index(Node n) const { return first_[n.rank] + n.record; }
    std::string shown(Node n) const;

    void prepare();
    void match_calls();
    void match_messages();
    void check_call(Node a, Node b) const;
    void ready(Node n);
    void emit_message(Node n);
    void emit_receive(Node n);
    void arrive(Node n);
    void done(Node n, OpId last);
    std::vector<Schedule::Dependency> waits_of(Node n) const;
    std::optional<OpId> gap(Node n, std::vector<Schedule::Dependency>& waits);
    OpId delay(Node n, Duration span, std::span<const Schedule::Dependency> waits);
    std::uint32_t lane(Node n);
    std::uint32_t keep(OpId op);
    void watch(Node n, OpId arrived, PlannedCalls::Added ran);
    void watch_call(Node n, std::uint32_t communicator, double bytes, PlannedCalls::Added ran);
    [[noreturn]] void stuck() const;

    const Recording& recording_;
    RecordedJob& job_;
    const Fabric& fabric_;
    const GpuScaling& scaling_;
    PlannedCalls& calls_;
    Replayed out_;
    std::vector<Dependents> dependents_;  // of each recorded rank
    std::vector<std::size_t> first_;      // of each replayed rank's records in the vectors below
    std::vector<std::uint32_t> waiting_;  // by record: how many it still waits for
    std::vector<OpId> last_;              // by record: its last operation
    std::vector<std::uint32_t> partner_;  // by record: call number, or the matched record's index; else nothing
    std::deque<Node> queue_;
    std::size_t finished_ = 0;
    std::map<std::pair<std::uint32_t, std::uint16_t>, std::uint32_t> lanes_;
    std::uint32_t next_lane_ = 0;

    struct Call {
        std::uint32_t communicator = 0;
        std::vector<Node> members;
        std::vector<OpId> arrived;
    };
    std::vector<Call> matched_;
    std::vector<std::uint32_t> group_of_communicator_;  // in calls_
};

std::string Lowering::shown(Node n) const { return place_of(recording_, recorded(n.rank), n.record); }

void Lowering::prepare() {
    std::size_t total = 0;
    for (const RankRecording& rank : recording_.ranks) {
        dependents_.emplace_back(rank);
    }
    for (std::uint32_t r = 0; r < job_.ranks.size(); ++r) {
        first_.push_back(total);
        total += recorded(r).records.size();
        if (total > most_operations) {
            throw JobError("the job has more than " + std::to_string(most_operations) +
                           " records: " + std::to_string(job_.ranks.size()) + " ranks of " +
                           std::to_string(recorded(r).records.size()) + " each");
        }
    }
    waiting_.reserve(total);
    for (std::uint32_t r = 0; r < job_.ranks.size(); ++r) {
        const std::vector<std::uint32_t>& waits = dependents_[job_.recorded[r]].waits;
        waiting_.insert(waiting_.end(), waits.begin(), waits.end());
        out_.watched += first_[r] + waits.size() <= most_watched_records || r == 0 ? 1 : 0;
    }
    last_.assign(total, OpId{});
    partner_.assign(total, nothing);
}

// Calls of a communicator are the same in all its ranks: the n-th of one is the n-th of the others.
void Lowering::match_calls() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known;  // (rank, group) -> communicator
    std::vector<std::map<std::uint32_t, std::vector<std::uint32_t>>> made;   // communicator -> rank -> records
    for (std::uint32_t r = 0; r < job_.ranks.size(); ++r) {
        const std::vector<Record>& records = recorded(r).records;
        for (std::uint32_t i = 0; i < records.size(); ++i) {
            if (records[i].kind != RecordKind::collective) {
                continue;
            }
            const auto [place, is_new] = known.try_emplace({r, records[i].other}, 0);
            if (is_new) {
                place->second = communicator_of(job_, recording_, r, records[i].other);
                made.resize(job_.communicators.size());
            }
            made[place->second][r].push_back(i);
        }
    }
    std::map<std::uint32_t, std::uint32_t> replayed;  // rank of the job -> index
    for (std::uint32_t r = 0; r < job_.ranks.size(); ++r) {
        replayed[job_.ranks[r]] = r;
    }
    for (std::uint32_t c = 0; c < made.size(); ++c) {
        const Communicator& communicator = job_.communicators[c];
        std::size_t fewest = SIZE_MAX, most = 0;
        for (const std::uint32_t member : communicator.members) {
            const auto r = replayed.find(member);
            if (r == replayed.end()) {
                const Node any{made[c].begin()->first, made[c].begin()->second.front()};
                throw ScenarioError({std::make_shared<const std::string>(recorded(any.rank).source)},
                                    shown(any) + ": rank " + std::to_string(member) +
                                        " takes part but is not recorded (accepted: a file of each rank, or one file "
                                        "that stands for all)");
            }
            const std::size_t count = made[c].contains(r->second) ? made[c][r->second].size() : 0;
            fewest = std::min(fewest, count);
            most = std::max(most, count);
        }
        if (fewest < most) {
            out_.notes.push_back("communicator '" + communicator.name + "' of " +
                                 std::to_string(communicator.members.size()) + " ranks: some recorded " +
                                 std::to_string(most) + " calls, some " + std::to_string(fewest) + "; the last " +
                                 std::to_string(most - fewest) + " are left out");
        }
        for (std::size_t k = 0; k < fewest; ++k) {
            Call call;
            call.communicator = c;
            for (const auto& [r, list] : made[c]) {
                const Node n{r, list[k]};
                if (!call.members.empty()) {
                    check_call(call.members.front(), n);
                }
                call.members.push_back(n);
                partner_[index(n)] = static_cast<std::uint32_t>(matched_.size());
            }
            matched_.push_back(std::move(call));
        }
    }
}

void Lowering::check_call(Node a, Node b) const {
    const Record &x = record_of(a), &y = record_of(b);
    const bool uneven = x.collective == Collective::all_to_all || x.collective == Collective::all_to_all_v ||
                        x.collective == Collective::gather || x.collective == Collective::scatter;
    if (x.collective != y.collective || (x.bytes != y.bytes && !uneven)) {
        throw ScenarioError({std::make_shared<const std::string>(recorded(b.rank).source)},
                            "calls do not match: " + shown(a) + " of " + std::to_string(std::llround(x.bytes)) +
                                " B and " + shown(b) + " of " + std::to_string(std::llround(y.bytes)) + " B");
    }
}

// The n-th send from one rank to another under a tag goes to the n-th receive there.
void Lowering::match_messages() {
    using Way = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // from, to, tag
    std::map<Way, std::vector<Node>> sends, receives;
    for (std::uint32_t r = 0; r < job_.ranks.size(); ++r) {
        const std::vector<Record>& records = recorded(r).records;
        for (std::uint32_t i = 0; i < records.size(); ++i) {
            const Record& record = records[i];
            if (record.kind == RecordKind::send) {
                sends[{job_.ranks[r], peer_of(job_, recording_, r, record), record.root}].push_back({r, i});
            } else if (record.kind == RecordKind::receive) {
                receives[{peer_of(job_, recording_, r, record), job_.ranks[r], record.root}].push_back({r, i});
            }
        }
    }
    std::size_t alone = 0, at_once = 0;
    for (const auto& [way, list] : receives) {
        const std::vector<Node>& from = sends[way];
        for (std::size_t k = 0; k < list.size(); ++k) {
            if (k >= from.size()) {
                if (!job_.copies) {
                    throw ScenarioError({std::make_shared<const std::string>(recorded(list[k].rank).source)},
                                        shown(list[k]) + ": rank " + std::to_string(std::get<0>(way)) +
                                            " sends nothing that fits (receive " + std::to_string(k + 1) +
                                            " with tag " + std::to_string(std::get<2>(way)) + "; it sends " +
                                            std::to_string(from.size()) + ")");
                }
                ++alone;
            } else if (!job_.copies || from[k].record < list[k].record) {
                partner_[index(list[k])] = static_cast<std::uint32_t>(index(from[k]));
                partner_[index(from[k])] = static_cast<std::uint32_t>(index(list[k]));
            } else {
                // In copies of one rank the sender would wait for this receiver's own past: it is taken to be ready.
                partner_[index(list[k])] = static_cast<std::uint32_t>(index(list[k]));
                ++at_once;
            }
        }
    }
    if (alone + at_once > 0) {
        out_.notes.push_back(std::to_string((alone + at_once) / job_.ranks.size()) +
                             " receives of the recorded rank count as sent in time: the sender's file would tell");
    }
}

std::uint32_t Lowering::lane(Node n) {
    const std::uint16_t stream = record_of(n).stream;
    if (stream == no_stream) {
        return next_lane_++;
    }
    const auto [place, is_new] = lanes_.try_emplace({n.rank, stream}, next_lane_);
    next_lane_ += is_new ? 1 : 0;
    return place->second;
}

OpId Lowering::delay(Node n, Duration span, std::span<const Schedule::Dependency> waits) {
    return out_.schedule.add(Delay{lane(n), span}, waits);
}

std::vector<Schedule::Dependency> Lowering::waits_of(Node n) const {
    std::vector<Schedule::Dependency> waits;
    dependents_[job_.recorded[n.rank]].for_each_wait(recorded(n.rank), n.record, [&](std::uint32_t earlier) {
        waits.push_back({last_[first_[n.rank] + earlier], DependsOn::finish});
    });
    return waits;
}

// The time in front of a record: behind its stream's predecessor, or behind all. Replaces `waits` by what is left.
std::optional<OpId> Lowering::gap(Node n, std::vector<Schedule::Dependency>& waits) {
    const Record& record = record_of(n);
    std::optional<OpId> last;
    if (record.idle.ps > 0) {
        const std::uint32_t before = dependents_[job_.recorded[n.rank]].before[n.record];
        std::vector<Schedule::Dependency> own;
        if (before != nothing) {
            own.push_back({last_[first_[n.rank] + before], DependsOn::finish});
        }
        last = delay(n, record.idle, own);
        waits.push_back({*last, DependsOn::finish});
    }
    if (record.delay.ps > 0) {
        last = delay(n, record.delay, waits);
        waits.assign(1, {*last, DependsOn::finish});
    }
    return last;
}

std::uint32_t Lowering::keep(OpId op) {
    if (out_.schedule.kept.empty() || out_.schedule.kept.back() != op) {
        out_.schedule.kept.push_back(op);
    }
    return static_cast<std::uint32_t>(out_.schedule.kept.size() - 1);
}

void Lowering::watch(Node n, OpId arrived, PlannedCalls::Added ran) {
    if (n.rank < out_.watched) {
        ReplayedRecord r{n.rank, n.record, keep(arrived), 0, 0};
        r.first = keep(ran.first);
        r.last = keep(ran.last);
        out_.records.push_back(r);
    }
}

void Lowering::watch_call(Node n, std::uint32_t communicator, double bytes, PlannedCalls::Added ran) {
    if (out_.calls.size() < most_watched_records) {
        const bool message = communicator == no_communicator;
        ReplayedCall call{communicator, message ? Collective::sendrecv : record_of(n).collective, bytes, 0, 0};
        call.first = keep(ran.first);
        call.last = keep(ran.last);
        out_.calls.push_back(call);
    }
}

void Lowering::done(Node n, OpId last) {
    last_[index(n)] = last;
    ++finished_;
    const Dependents& d = dependents_[job_.recorded[n.rank]];
    for (std::uint32_t i = d.begin[n.record]; i < d.begin[n.record + 1]; ++i) {
        if (--waiting_[first_[n.rank] + d.list[i]] == 0) {
            queue_.push_back({n.rank, d.list[i]});
        }
    }
}

void Lowering::ready(Node n) {
    switch (record_of(n).kind) {
        case RecordKind::collective:
            return arrive(n);
        case RecordKind::send:
            return emit_message(n);
        case RecordKind::receive:
            return emit_receive(n);
        case RecordKind::compute:
        case RecordKind::host:
            break;
    }
    const Record& record = record_of(n);
    std::vector<Schedule::Dependency> waits = waits_of(n);
    gap(n, waits);
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

void Lowering::emit_message(Node n) {
    const Record& record = record_of(n);
    std::vector<Schedule::Dependency> waits = waits_of(n);
    gap(n, waits);
    const OpId arrived = delay(n, {}, waits);
    const std::uint32_t to = peer_of(job_, recording_, n.rank, record), from = job_.ranks[n.rank];
    const Schedule::Dependency behind{arrived, DependsOn::finish};
    if (to == from) {
        watch(n, arrived, {arrived, arrived});
        return done(n, arrived);
    }
    const PlannedCalls::Added ran =
        calls_.send(out_.schedule, from, to, {std::llround(record.bytes)}, std::span(&behind, 1));
    watch(n, arrived, ran);
    watch_call(n, no_communicator, record.bytes, ran);
    done(n, ran.last);
    if (const std::uint32_t to_record = partner_[index(n)]; to_record != nothing && --waiting_[to_record] == 0) {
        const auto r = std::upper_bound(first_.begin(), first_.end(), to_record) - first_.begin() - 1;
        queue_.push_back({static_cast<std::uint32_t>(r),
                          static_cast<std::uint32_t>(to_record - first_[static_cast<std::size_t>(r)])});
    }
}

// Done when the message has come; one that nobody is known to send comes at once.
void Lowering::emit_receive(Node n) {
    const Record& record = record_of(n);
    std::vector<Schedule::Dependency> waits = waits_of(n);
    gap(n, waits);
    const OpId arrived = delay(n, {}, waits);
    const std::uint32_t from = peer_of(job_, recording_, n.rank, record), to = job_.ranks[n.rank];
    const std::uint32_t partner = partner_[index(n)];
    const Schedule::Dependency behind{arrived, DependsOn::finish};
    PlannedCalls::Added ran{arrived, arrived};
    if (partner == nothing && from != to) {
        ran = calls_.send(out_.schedule, from, to, {std::llround(record.bytes)}, std::span(&behind, 1));
        watch_call(n, no_communicator, record.bytes, ran);
    } else if (partner != nothing && partner != index(n)) {
        const std::array<Schedule::Dependency, 2> both = {behind, {last_[partner], DependsOn::finish}};
        ran.first = ran.last = delay(n, {}, both);
    }
    watch(n, arrived, ran);
    done(n, ran.last);
}

void Lowering::arrive(Node n) {
    std::vector<Schedule::Dependency> waits = waits_of(n);
    gap(n, waits);
    const OpId arrived = delay(n, {}, waits);
    const std::uint32_t number = partner_[index(n)];
    if (number == nothing) {  // its partners did not record it
        return done(n, arrived);
    }
    Call& call = matched_[number];
    call.arrived.push_back(arrived);
    if (call.arrived.size() < call.members.size()) {
        last_[index(n)] = arrived;
        return;
    }
    std::vector<Schedule::Dependency> all;
    double bytes = 0;
    for (const OpId op : call.arrived) {
        all.push_back({op, DependsOn::finish});
    }
    for (const Node member : call.members) {
        last_[index(member)] = index(member) == index(n) ? arrived : last_[index(member)];
        bytes = std::max(bytes, record_of(member).bytes);
    }
    const Communicator& communicator = job_.communicators[call.communicator];
    PlannedCalls::Added ran{arrived, arrived};
    if (communicator.members.size() > 1) {
        group_of_communicator_.resize(job_.communicators.size(), nothing);
        std::uint32_t& group = group_of_communicator_[call.communicator];
        group = group == nothing ? calls_.group(communicator.members) : group;
        const Record& first = record_of(call.members.front());
        ran = calls_.add(out_.schedule, group, {first.collective, first.dtype, {std::llround(bytes)}, first.root}, all);
        watch_call(call.members.front(), call.communicator, bytes, ran);
    }
    for (const Node member : call.members) {
        watch(member, last_[index(member)], ran);
    }
    const std::vector<Node> members = std::move(call.members);
    call = {};
    for (const Node member : members) {
        done(member, ran.last);
    }
}

void Lowering::stuck() const {
    for (std::uint32_t r = 0; r < job_.ranks.size(); ++r) {
        for (std::uint32_t i = 0; i < recorded(r).records.size(); ++i) {
            const Node n{r, i};
            const std::uint32_t partner = partner_[index(n)];
            const bool waits_for_send = record_of(n).kind == RecordKind::receive && waiting_[index(n)] == 1 &&
                                        partner != nothing && last_[partner] == OpId{};
            const bool waits_for_others = record_of(n).kind == RecordKind::collective && waiting_[index(n)] == 0 &&
                                          partner != nothing && !matched_[partner].members.empty();
            if (waits_for_send || waits_for_others) {
                throw CannotEnd("ranks of the recording wait for each other: " + shown(n) + " waits for " +
                                (waits_for_send
                                     ? "a send of rank " + std::to_string(peer_of(job_, recording_, r, record_of(n)))
                                     : std::string("the others of its group")) +
                                ", which wait for something else first");
            }
        }
    }
    throw CannotEnd("ranks of the recording wait for each other");
}

Replayed Lowering::run() {
    prepare();
    match_calls();
    match_messages();
    for (std::uint32_t r = 0; r < job_.ranks.size(); ++r) {
        for (std::uint32_t i = 0; i < recorded(r).records.size(); ++i) {
            const Node n{r, i};
            const bool expects = record_of(n).kind == RecordKind::receive && partner_[index(n)] != nothing &&
                                 partner_[index(n)] != index(n);
            waiting_[index(n)] += expects ? 1 : 0;  // the message
            if (waiting_[index(n)] == 0) {
                queue_.push_back(n);
            }
        }
    }
    while (!queue_.empty()) {
        const Node n = queue_.front();
        queue_.pop_front();
        ready(n);
    }
    if (finished_ < waiting_.size()) {
        stuck();
    }
    return std::move(out_);
}

}  // namespace

Replayed lower(const Recording& recording, RecordedJob& job, const Fabric& fabric, const GpuScaling& scaling,
               PlannedCalls& calls) {
    return Lowering(recording, job, fabric, scaling, calls).run();
}

}  // namespace fabricast
