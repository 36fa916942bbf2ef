#include "sim/run/explain/explained_run.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/enum_name.hpp"
#include "base/input_error.hpp"
#include "base/unit_text.hpp"
#include "sim/engines/common/watching.hpp"
#include "sim/plan/collectives/planner.hpp"
#include "sim/plan/training/plan_step.hpp"
#include "sim/plan/training/slow_ranks.hpp"
#include "sim/plan/transfers/exchange.hpp"
#include "sim/plan/transfers/host_fabric.hpp"
#include "sim/report/summarize.hpp"
#include "sim/report/trace.hpp"
#include "sim/run/explain/critical_path.hpp"
#include "sim/run/trace_job.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/events.hpp"
#include "sim/scenario/packet_options.hpp"
#include "sim/scenario/scenario_context.hpp"

namespace fabricast {

namespace {

struct Subject {
    const Scenario& scenario;
    const Catalog& catalog;
    const Fabric& fabric;
    Engine engine;
    std::vector<LinkEvent> events;
    const Watch& watch;
};

constexpr std::size_t most_walked = 2'000'000;  // operations that are kept in memory with their times

// Keeps every operation at its own index, as critical_path requires.
void keep_in_order(Schedule& schedule) {
    schedule.kept.clear();
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        schedule.kept.push_back(OpId{static_cast<std::uint32_t>(i)});
    }
}

OpId last_of(const Timeline& timeline) {
    return std::max_element(timeline.kept.begin(), timeline.kept.end(),
                            [](const OpTimes& a, const OpTimes& b) { return a.finish < b.finish; })
        ->op;
}

ExplainedRun explain(const CollectiveWorkload& workload, const Subject& s) {
    check_ranks(s.scenario, s.fabric);
    const Bytes size = *std::max_element(workload.sizes.begin(), workload.sizes.end());
    const Planner planner(workload, s.fabric, s.scenario.library, s.scenario.launch, s.catalog);
    Plan plan = planner.plan(size);
    keep_all(plan.schedule);
    const Timeline timeline = replay(s.engine, s.fabric, plan.schedule, s.events, s.watch);
    const auto iterations = static_cast<std::size_t>(plan.iterations);
    const Time from = iterations > 1 ? timeline.kept[iterations - 2].finish : Time{};
    const std::string part = std::string(to_string(plan.algorithm)) + " " + std::string(to_string(plan.protocol));
    const BlameSheet window = critical_path(
        s.fabric, plan.schedule, timeline, plan.schedule.kept[iterations - 1], from, [&](OpId op) -> std::string_view {
            return plan.schedule.kind(op) == OpKind::delay ? std::string_view("launch") : part;
        });
    ExplainedRun run;
    run.what = std::string(to_string(workload.collective)) + " of " + text(size) + ": " + part + ", " +
               std::to_string(plan.channels) + (plan.channels == 1 ? " channel" : " channels");
    run.seconds = iteration_time(plan, timeline);
    // Calls that overlap are timed as an average; the blame of the last call is scaled to it.
    const double scale = window.total() > 0 ? run.seconds / window.total() : 0;
    run.blames = window.sorted();
    for (Blame& blame : run.blames) {
        blame.seconds *= scale;
    }
    run.notes = plan.notes;
    return run;
}

std::string_view part_of(const StepOp& op) {
    static constexpr std::array<std::string_view, 7> names = {"tensor-parallel", "context-parallel", "expert-parallel",
                                                              "pipeline",        "data-parallel",    "compute",
                                                              "end of step"};
    if (op.tag == StepTag::compute) {
        return op.forward ? "forward" : "backward";
    }
    return enum_name(names, op.tag);
}

ExplainedRun explain(const TrainingWorkload& workload, const Subject& s) {
    const StepPlan plan = [&] {
        try {
            return plan_step(workload, s.fabric, s.scenario.library, s.catalog);
        } catch (const LayoutError& error) {
            fail_at(s.scenario, error.key, error.what());
        }
    }();
    const std::vector<LinkEvent> events = at_representatives(s.events, plan.layout, s.fabric);
    const Timeline timeline = replay(s.engine, s.fabric, plan.schedule, events, s.watch);
    const BlameSheet whole = critical_path(s.fabric, plan.schedule, timeline, last_of(timeline), Time{},
                                           [&](OpId op) { return part_of(plan.ops[static_cast<std::uint32_t>(op)]); });
    ExplainedRun run;
    run.what = "a training step of " + workload.model;
    run.seconds = to_seconds(timeline.makespan - Time{});
    run.blames = whole.sorted();
    run.notes = plan.notes;
    return run;
}

// The part that each operation of a replayed trace belongs to: kernels, the CPU, a call (named by its collective), or a
// gap between records.
constexpr std::string_view kernels = "kernels", on_host = "the CPU", gap = "between records";

std::vector<std::string_view> parts_of(const TraceJob& trace) {
    const Replayed& replayed = trace.replayed;
    const auto op = [&](std::uint32_t kept) { return static_cast<std::size_t>(replayed.schedule.kept[kept]); };
    std::vector<std::string_view> parts(replayed.schedule.size(), gap);
    for (const ReplayedRecord& r : replayed.records) {
        const RecordKind kind = trace.recording.ranks[trace.job.recorded[r.rank]].records[r.record].kind;
        if (kind == RecordKind::compute || kind == RecordKind::host) {
            parts[op(r.first)] = kind == RecordKind::compute ? kernels : on_host;
        }
    }
    for (const ReplayedCall& call : replayed.calls) {
        std::fill(parts.begin() + static_cast<std::ptrdiff_t>(op(call.first)),
                  parts.begin() + static_cast<std::ptrdiff_t>(op(call.last)) + 1, to_string(call.collective));
    }
    return parts;
}

ExplainedRun explain(const TraceWorkload& workload, const Subject& s) {
    TraceJob trace = prepare_trace(workload, s.scenario, s.fabric, s.catalog, [&](double) { stop_if_asked(s.watch); });
    Schedule& schedule = trace.replayed.schedule;
    if (schedule.size() > most_walked) {
        fail_at(s.scenario, "workload.file",
                error_message("too long to be explained", std::to_string(schedule.size()) + " operations",
                              "at most " + std::to_string(most_walked)));
    }
    const std::vector<std::string_view> parts = parts_of(trace);
    keep_in_order(schedule);
    const Timeline timeline = replay(s.engine, s.fabric, schedule, s.events, s.watch);
    ExplainedRun run;
    run.what = "a replayed trace of " + std::to_string(trace.job.ranks.size()) + " ranks";
    run.seconds = to_seconds(timeline.makespan);
    run.notes = trace.notes;
    if (schedule.size() > 0) {
        const auto part = [&](OpId op) { return parts[static_cast<std::size_t>(op)]; };
        run.blames = critical_path(s.fabric, schedule, timeline, last_of(timeline), Time{}, part).sorted();
    }
    for (Blame& blame : run.blames) {
        // Recorded durations are replayed as delays, blamed as launch; the record says what they were.
        if (blame.kind == BlameKind::launch && blame.part == kernels) {
            blame.kind = BlameKind::compute;
            blame.what = "as recorded";
        } else if (blame.kind == BlameKind::launch && (blame.part == on_host || blame.part == gap)) {
            blame.what = "the CPU's pace";
        }
    }
    return run;
}

// A single message, which is what a row's time refers to.
ExplainedRun explain(const TransferWorkload& workload, const Subject& s) {
    const Fabric fabric = transfer_fabric(s.fabric, workload, s.catalog);
    const Bytes size = *std::max_element(workload.sizes.begin(), workload.sizes.end());
    try {
        Exchange exchange = Exchanger(workload, fabric, s.catalog, s.engine).at(size, s.events, s.watch);
        Schedule& schedule = exchange.one;
        const OpId end = schedule.kept.front();
        keep_in_order(schedule);
        const Timeline timeline = replay(s.engine, fabric, schedule, s.events, s.watch);
        ExplainedRun run;
        run.what = "one message of " + text(size) + " from " + workload.from + " to " + workload.to + ": " +
                   exchange.choice.path.transport;
        run.seconds = exchange.one_s;
        run.blames = critical_path(fabric, schedule, timeline, end, Time{}, {}).sorted();
        run.notes = exchange.choice.path.notes;
        return run;
    } catch (const NoDataPath& error) {
        fail_at(s.scenario, "workload.transport", error.what());
    } catch (const ClusterError& error) {
        fail_at(s.scenario, "workload", error.what());
    }
}

}  // namespace

Scenario single_point(const Scenario& scenario) {
    Scenario one = scenario;
    one.scaling.reset();
    one.asserts.clear();
    if (std::vector<Bytes>* sizes = sizes_of(one.workload); sizes != nullptr) {
        *sizes = {*std::max_element(sizes->begin(), sizes->end())};
    }
    return one;
}

ExplainedRun explain_run(const Scenario& written, const Catalog& catalog, const Watch& watch) {
    return pointing_into(written, [&] {
        const Fabric fabric(build(written, catalog));
        const Scenario scenario = with_engine(written, fabric, catalog, 1);
        const bool walks =
            std::holds_alternative<Flow>(scenario.engine) || std::holds_alternative<Analytic>(scenario.engine);
        const Subject subject{
            scenario, catalog, fabric, walks ? scenario.engine : Engine{Flow{}}, link_events(scenario, fabric, catalog),
            watch};
        ExplainedRun run =
            std::visit([&](const auto& workload) { return explain(workload, subject); }, scenario.workload);
        run.nodes = fabric.node_count();
        run.gpus = fabric.gpu_count();
        if (!walks) {
            run.notes.emplace_back("blamed by the flow engine: operations of the scenario's engine are not whole");
        }
        return run;
    });
}

}  // namespace fabricast
