#include "sim/plan/plan_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/engines/common/watch.hpp"
#include "sim/plan/traces/import.hpp"

namespace fabricast::inline plans {

namespace {

constexpr double import_share = 0.5;  // share of the progress that importing the trace takes

bool any_timed_kernel(const Recording& recording) {
    return std::any_of(recording.ranks.begin(), recording.ranks.end(), [](const RankRecording& rank) {
        return std::any_of(rank.records.begin(), rank.records.end(),
                           [](const Record& r) { return r.kind == RecordKind::compute && r.time.ps > 0; });
    });
}

Recording read(const TraceWorkload& workload, const Watch& watch) {
    return import_trace({workload.file, format_named(workload.format), workload.size}, [&](double share) {
        stop_if_asked(watch);
        if (watch.progress) { watch.progress(import_share * share); }
    });
}

Plan plan_trace(const TraceWorkload& workload, const PlanContext& context, const Watch& watch) {
    TraceFacts trace{read(workload, watch), {}, {}};
    try {
        const GpuScaling scaling =
            gpu_scaling(context.catalog, context.fabric.node().gpu, workload.recorded_on, trace.recording.recorded_on);
        trace.job = recorded_job(trace.recording, context.fabric.gpu_count(), workload.ranks);
        PlannedCalls calls(context.fabric, context.library, context.catalog);
        Replayed replayed = make_replayed(trace.recording, trace.job, context.fabric, scaling, calls);
        Plan plan;
        plan.what = fmt::format("a replayed trace of {} ranks", trace.job.ranks.size());
        plan.planning_share = import_share;
        plan.schedule = std::move(replayed.schedule);
        plan.figures = calls.plans().figures();
        plan.notes = trace.recording.notes;
        if (any_timed_kernel(trace.recording)) { merge_notes(plan.notes, {scaling.note}); }
        merge_notes(plan.notes, trace.job.notes);
        merge_notes(plan.notes, replayed.notes);
        merge_notes(plan.notes, calls.plans().notes());
        plan.evidence_notes = calls.plans().evidence_notes();
        trace.replayed = std::move(replayed);
        plan.facts = std::move(trace);
        return plan;
    } catch (const JobError& error) {
        throw PlanError(error.what(), workload.ranks != 0 ? "workload.ranks" : "cluster");
    }
}

}  // namespace

SizePlanner size_planner(const TraceWorkload& workload, const PlanContext& context) {
    return [&workload, context](Bytes, const PlanOptions& options) {
        return plan_trace(workload, context, options.watch);
    };
}

}  // namespace fabricast::inline plans
