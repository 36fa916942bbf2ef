#include "sim/run/explain/explained_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/input_error.hpp"
#include "sim/plan/timelines.hpp"
#include "sim/run/explain/critical_path.hpp"
#include "sim/run/forecast.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/packet_options.hpp"
#include "sim/scenario/scenario_context.hpp"

namespace fabricast::inline explain {

namespace {

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
                error_message("too long to be explained", fmt::format("{} operations", schedule.size()),
                              fmt::format("at most {}", most_walked)));
    }
    for (std::uint32_t op = 0; op < schedule.size(); ++op) { schedule.kept.push_back(OpId{op}); }
}

std::vector<Blame> blames_of(const Plan& plan, const Timeline& timeline, const TimedPart& timed, const Fabric& fabric) {
    const std::vector<std::string> names =
        std::visit([&](const auto& facts) { return names_of(facts, plan.schedule); }, plan.facts);
    const auto part = [&](OpId op) -> std::string_view { return names[static_cast<std::size_t>(op)]; };
    const BlameSheet sheet = critical_path(fabric, plan.schedule, timeline, timed.last, timed.from, part);
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

Scenario single_point(const Scenario& scenario) {
    Scenario one = scenario;
    one.scaling.reset();
    one.asserts.clear();
    if (std::vector<Bytes>* sizes = sizes_of(one.workload); sizes != nullptr) { *sizes = {std::ranges::max(*sizes)}; }
    return one;
}

ExplainedRun explain_run(const Scenario& written, const Catalog& catalog, const Watch& watch) {
    return pointing_into(written, [&] {
        const Scenario one = single_point(written);
        const Fabric built(build(one, catalog));
        const Scenario scenario = with_engine(one, built, catalog, 1);
        const bool walks = traits_of(scenario.engine).whole_operations;
        const Job job(scenario, catalog, built);
        const std::vector<Bytes>* const sizes = sizes_of(scenario.workload);
        Plan plan = job.planner(sizes == nullptr ? Bytes{} : sizes->front(), {true, watch});
        plan.window.reset();  // what is explained is one message
        keep_every_operation(scenario, plan.schedule);
        const Engine engine = walks ? scenario.engine : Engine{Flow{}};
        const Timeline timeline = replay(engine, job.fabric, plan, job.events, watch).timeline;
        ExplainedRun run{plan.what, job.fabric.node_count(), job.fabric.gpu_count(), 0, {}, std::move(plan.notes)};
        if (plan.schedule.size() > 0) {
            const TimedPart timed = timed_part(plan, timeline);
            run.seconds = timed.seconds;
            run.blames = blames_of(plan, timeline, timed, job.fabric);
        }
        merge_notes(run.notes, written.notes);
        if (!walks) {
            run.notes.emplace_back("blamed by the flow engine: operations of the scenario's engine are not whole");
        }
        return run;
    });
}

}  // namespace fabricast::inline explain
