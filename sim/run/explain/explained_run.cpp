#include "sim/run/explain/explained_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "sim/plan/timelines.hpp"
#include "sim/run/forecast.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/packet_options.hpp"
#include "sim/scenario/scenario_context.hpp"

namespace fabricast::inline explain {

namespace {

constexpr std::uint32_t none = 0xffffffffU;

// A point on the backward walk: which end of which operation it reaches, and when.
struct Stop {
    std::uint32_t op = none;
    Until until = Until::finish;
    Time at;
};

class Walk {
public:
    Walk(const Fabric& fabric, const Schedule& schedule, const Timeline& timeline, const PartOf& part_of,
         std::span<const LinkEvent> events)
        : schedule_(schedule), part_of_(part_of), operations_(fabric, schedule, events), times_(schedule.size()) {
        for (const OpTimes& times : timeline.kept) { times_[static_cast<std::uint32_t>(times.op)] = times; }
        find_predecessors();
        for (const Connection& connection : schedule.connections) {
            latency_.push_back(fabric.path(connection.path).latency);
        }
    }

    BlameSheet back(OpId last, Time from) {
        BlameSheet sheet;
        Stop stop{static_cast<std::uint32_t>(last), Until::finish, times_[static_cast<std::uint32_t>(last)].finish};
        while (stop.op != none && stop.at > from) { stop = step(stop, from, sheet); }
        if (stop.at > from) { sheet.add(BlameKind::wait, "nothing to do", "", to_seconds(stop.at - from)); }
        return sheet;
    }

private:
    // Finds for each operation the one before it on the same stream, host or connection.
    void find_predecessors() {
        before_.assign(schedule_.size(), none);
        std::map<std::pair<int, std::uint64_t>, std::uint32_t> last;
        for (std::uint32_t op = 0; op < schedule_.size(); ++op) {
            const OpKind kind = schedule_.kind(OpId{op});
            const std::uint32_t detail = schedule_.detail(OpId{op});
            std::uint64_t chain = 0;
            if (kind == OpKind::pipeline) { continue; }
            if (kind == OpKind::transfer) {
                chain = schedule_.transfers[detail].connection;
            } else if (kind == OpKind::compute) {
                const Compute& compute = schedule_.computes[detail];
                chain = (static_cast<std::uint64_t>(compute.device) << 16U) | compute.stream;
            } else {
                chain = schedule_.delays[detail].host;
            }
            const auto [place, is_new] = last.try_emplace({static_cast<int>(kind), chain}, op);
            if (!is_new) {
                before_[op] = place->second;
                place->second = op;
            }
        }
    }

    // When the operation could have proceeded if no other had been before it.
    Time entered(std::uint32_t op) const {
        if (schedule_.kind(OpId{op}) != OpKind::transfer) { return times_[op].start; }
        const Transfer& transfer = schedule_.transfers[schedule_.detail(OpId{op})];
        return times_[op].start + transfer.start + latency_[transfer.connection];
    }

    // The dependency of the operation that was met last.
    Stop last_dependency(std::uint32_t op) const {
        Stop last;
        for (std::size_t i = 0; i < schedule_.dependency_count(OpId{op}); ++i) {
            const Schedule::Dependency d = schedule_.dependency(OpId{op}, i);
            const auto on = static_cast<std::uint32_t>(d.op);
            const bool released = d.when == DependsOn::release;
            const Time at = released ? times_[on].release : times_[on].finish;
            if (last.op == none || at > last.at) { last = {on, released ? Until::release : Until::finish, at}; }
        }
        return last;
    }

    // Blames the part of one operation's time that is after `from`; returns what the operation waited for.
    Stop step(const Stop& stop, Time from, BlameSheet& sheet) {
        const std::uint32_t op = stop.op;
        const std::uint32_t front = before_[op];
        const bool queued = front != none && times_[front].finish > entered(op);
        const Time began = queued ? times_[front].finish : times_[op].start;
        const double seconds = to_seconds(stop.at - began);
        const BlameSheet whole = operations_.blame(OpId{op}, stop.until, queued, {began, stop.at});
        const double inside = to_seconds(stop.at - std::max(began, from));
        sheet.add(whole, part_of_ ? part_of_(OpId{op}) : "", seconds > 0 ? inside / seconds : 0);
        if (queued) { return {front, Until::finish, began}; }
        const Stop next = last_dependency(op);
        if (next.op != none && next.at < began && began > from) {
            // No dependency explains the gap: for instance, a link that was down came up again.
            sheet.add(BlameKind::wait, "others' turn", "", to_seconds(began - std::max(next.at, from)));
        }
        return next.op == none ? Stop{none, Until::finish, began} : next;
    }

    const Schedule& schedule_;
    const PartOf& part_of_;
    OperationBlame operations_;
    std::vector<OpTimes> times_;
    std::vector<std::uint32_t> before_;
    std::vector<Duration> latency_;
};

constexpr std::size_t most_walked = 2'000'000;  // operations that are kept in memory with their times

// Parts of a replayed trace that do not name a collective.
constexpr std::string_view kernels = "kernels", on_host = "the CPU", between_records = "between records";

// Which part of its workload each operation of the schedule belongs to: "tensor-parallel", "launch", "kernels".
// Precondition: the schedule keeps what its planner kept, first.
std::vector<std::string> names_of(const CollectiveFacts& facts, const Schedule& schedule) {
    std::vector<std::string> names(schedule.size(),
                                   fmt::format("{} {}", to_string(facts.algorithm), to_string(facts.protocol)));
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (schedule.kind(OpId{static_cast<std::uint32_t>(i)}) == OpKind::delay) { names[i] = "launch"; }
    }
    return names;
}

std::vector<std::string> names_of(const TrainingFacts& facts, const Schedule&) {
    std::vector<std::string> names;
    for (const StepOp& op : facts.ops) {
        names.emplace_back(op.tag == StepTag::fixed     ? "end of step"
                           : op.tag != StepTag::compute ? comm_part(static_cast<std::size_t>(op.tag)).name
                           : op.forward                 ? "forward"
                                                        : "backward");
    }
    return names;
}

std::vector<std::string> names_of(const TraceFacts& facts, const Schedule& schedule) {
    const auto op = [&](std::uint32_t kept) { return static_cast<std::size_t>(schedule.kept[kept]); };
    std::vector<std::string> names(schedule.size(), std::string(between_records));
    for (const ReplayedRecord& r : facts.replayed.records) {
        const RecordKind kind = facts.recording.ranks[facts.job.recorded[r.rank]].records[r.record].kind;
        if (kind == RecordKind::compute || kind == RecordKind::host) {
            names[op(r.first)] = kind == RecordKind::compute ? kernels : on_host;
        }
    }
    for (const ReplayedCall& call : facts.replayed.calls) {
        std::fill(names.begin() + static_cast<std::ptrdiff_t>(op(call.first)),
                  names.begin() + static_cast<std::ptrdiff_t>(op(call.last)) + 1, to_string(call.collective));
    }
    return names;
}

std::vector<std::string> names_of(const TransferFacts&, const Schedule& schedule) {
    return std::vector<std::string>(schedule.size());
}

// Keeps every operation, after those that tell the time.
void keep_every_operation(const Scenario& scenario, Schedule& schedule) {
    if (schedule.size() > most_walked) {
        fail_at(scenario, std::holds_alternative<TraceWorkload>(scenario.workload) ? "workload.file" : "workload",
                "too long to be explained", fmt::format("{} operations", schedule.size()),
                fmt::format("at most {}", most_walked));
    }
    for (std::uint32_t op = 0; op < schedule.size(); ++op) { schedule.kept.push_back(OpId{op}); }
}

std::vector<Blame> blames_of(const Plan& plan, const Timeline& timeline, const TimedPart& timed, const Job& job) {
    const std::vector<std::string> names =
        std::visit([&](const auto& facts) { return names_of(facts, plan.schedule); }, plan.facts);
    const auto part = [&](OpId op) -> std::string_view { return names[static_cast<std::size_t>(op)]; };
    const BlameSheet sheet =
        critical_path(job.fabric, plan.schedule, timeline, timed.last, timed.from, part, job.events);
    // Calls that overlap are timed as an average; the blame of the last call is scaled to it.
    const double scale = plan.timing && sheet.total() > 0 ? timed.seconds / sheet.total() : 1;
    std::vector<Blame> blames = sheet.sorted();
    for (Blame& blame : blames) {
        blame.seconds *= scale;
        // Recorded durations are replayed as delays, blamed as launch; the record says what they were.
        if (blame.kind == BlameKind::launch && blame.part == kernels) {
            blame.kind = BlameKind::compute;
            blame.what = "as recorded";
        } else if (blame.kind == BlameKind::launch && (blame.part == on_host || blame.part == between_records)) {
            blame.what = "the CPU's pace";
        }
    }
    return blames;
}

}  // namespace

ExplainedRun explain_run(const Scenario& written, const Catalog& catalog, const Watch& watch) {
    return pointing_into(written, [&] {
        const Scenario one = single_point(written);
        const Fabric built(build(one, catalog));
        const Job job(with_engine(one, built, catalog, 1), catalog, built);
        const Scenario& scenario = job.scenario;
        const bool walks = traits_of(scenario.engine).whole_operations;
        const std::vector<Bytes>* const sizes = sizes_of(scenario.workload);
        Plan plan = job.planner(sizes == nullptr ? Bytes{} : sizes->front(), {true, watch});
        plan.window.reset();  // what is explained is one message
        keep_every_operation(scenario, plan.schedule);
        const Engine engine = walks ? scenario.engine : Engine{Flow{}};
        const Timeline timeline = replay(engine, job.fabric, plan, job.events, watch).timeline;
        ExplainedRun run{plan.what, job.fabric.node_count(), job.fabric.gpu_count(), 0, {}, std::move(plan.notes), {}};
        if (plan.schedule.size() > 0) {
            const TimedPart timed = timed_part(plan, timeline);
            run.seconds = timed.seconds;
            run.blames = blames_of(plan, timeline, timed, job);
        }
        merge_notes(run.notes, written.notes);
        if (!walks) {
            run.by = Flow::traits.name;
            run.notes.push_back(fmt::format("blamed by engine flow: operations of engine {} are not whole",
                                            traits_of(scenario.engine).name));
        }
        return run;
    });
}

BlameSheet critical_path(const Fabric& fabric, const Schedule& schedule, const Timeline& timeline, OpId last, Time from,
                         const PartOf& part_of, std::span<const LinkEvent> events) {
    assert(timeline.kept.size() >= schedule.size());
    return Walk(fabric, schedule, timeline, part_of, events).back(last, from);
}

}  // namespace fabricast::inline explain
