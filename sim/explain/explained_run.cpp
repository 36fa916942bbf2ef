#include "sim/explain/explained_run.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "sim/collectives/plan.hpp"
#include "sim/events.hpp"
#include "sim/explain/critical_path.hpp"
#include "sim/io/units.hpp"
#include "sim/report/summarize.hpp"
#include "sim/report/trace.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/packet_options.hpp"
#include "sim/trouble.hpp"
#include "sim/workloads/lowering.hpp"

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

ExplainedRun explain(const CollectiveWorkload& workload, const Subject& s) {
    check_ranks(s.scenario, s.fabric);
    const Bytes size = *std::max_element(workload.sizes.begin(), workload.sizes.end());
    const Planner planner(workload, s.fabric, s.scenario.library, s.scenario.launch, s.catalog);
    Plan plan = planner.plan(size);
    keep_all(plan.schedule);
    const Timeline timeline = replay(s.engine, s.fabric, plan.schedule, s.events, s.watch);
    const auto iterations = static_cast<std::size_t>(plan.iterations);
    const Time from = iterations > 1 ? timeline.kept[iterations - 2].finish : Time{};
    const std::string part = std::string(word(plan.algorithm)) + " " + std::string(word(plan.protocol));
    const BlameSheet window = critical_path(
        s.fabric, plan.schedule, timeline, plan.schedule.kept[iterations - 1], from, [&](OpId op) -> std::string_view {
            return plan.schedule.kind(op) == OpKind::delay ? std::string_view("launch") : part;
        });
    ExplainedRun run;
    run.what = std::string(word(workload.collective)) + " of " + text(size) + ": " + part + ", " +
               std::to_string(plan.channels) + (plan.channels == 1 ? " channel" : " channels");
    run.seconds = iteration_time(plan, timeline);
    // Calls that overlap are timed as many: the last one's stretches stand for each.
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
    return names.at(static_cast<std::size_t>(op.tag));
}

ExplainedRun explain(const TrainingWorkload& workload, const Subject& s) {
    const StepPlan plan = [&] {
        try {
            return plan_step(workload, s.fabric, s.scenario.library, s.catalog);
        } catch (const LayoutError& error) {
            fail_at(s.scenario, error.key, error.what());
        }
    }();
    const Timeline timeline = replay(s.engine, s.fabric, plan.schedule, s.events, s.watch);
    const auto last = std::max_element(timeline.kept.begin(), timeline.kept.end(),
                                       [](const OpTimes& a, const OpTimes& b) { return a.finish < b.finish; });
    const BlameSheet whole = critical_path(s.fabric, plan.schedule, timeline, last->op, Time{},
                                           [&](OpId op) { return part_of(plan.ops[static_cast<std::uint32_t>(op)]); });
    ExplainedRun run;
    run.what = "a training step of " + workload.model;
    run.seconds = to_seconds(timeline.makespan - Time{});
    run.blames = whole.sorted();
    run.notes = plan.notes;
    return run;
}

ExplainedRun explain(const TraceWorkload&, const Subject& s) {
    fail_at(s.scenario, "workload.kind",
            "a replayed trace is not explained (found trace; accepted: collective, training)");
}

ExplainedRun explain(const TransferWorkload&, const Subject& s) {
    fail_at(s.scenario, "workload.kind", "a transfer is explained by its path: `fabricast explain SCENARIO`");
}

}  // namespace

Scenario single_point(const Scenario& scenario) {
    Scenario one = scenario;
    one.scaling.reset();
    one.asserts.clear();
    if (auto* collective = std::get_if<CollectiveWorkload>(&one.workload)) {
        collective->sizes = {*std::max_element(collective->sizes.begin(), collective->sizes.end())};
    }
    return one;
}

ExplainedRun explain_run(const Scenario& written, const Catalog& catalog, const Watch& watch) {
    return pointing_into(written, [&] {
        const Scenario scenario = with_engine(written, catalog, 1);
        const Fabric fabric(build(scenario, catalog));
        const bool walks =
            std::holds_alternative<Flow>(scenario.engine) || std::holds_alternative<Analytic>(scenario.engine);
        const Subject subject{
            scenario, catalog, fabric, walks ? scenario.engine : Engine{Flow{}}, link_events(scenario, fabric), watch};
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
