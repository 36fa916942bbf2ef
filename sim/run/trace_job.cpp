#include "sim/run/trace_job.hpp"

#include <algorithm>

#include "sim/report/summarize.hpp"
#include "sim/scenario/scenario_context.hpp"

namespace fabricast {

namespace {

TraceFormat format_of(const std::string& name) {
    for (const TraceFormat format : every_trace_format()) {
        if (to_string(format) == name) {
            return format;
        }
    }
    return TraceFormat::automatic;
}

bool any_timed_kernel(const Recording& recording) {
    return std::any_of(recording.ranks.begin(), recording.ranks.end(), [](const RankRecording& rank) {
        return std::any_of(rank.records.begin(), rank.records.end(),
                           [](const Record& r) { return r.kind == RecordKind::compute && r.time.ps > 0; });
    });
}

}  // namespace

TraceJob prepare_trace(const TraceWorkload& workload, const Scenario& scenario, const Fabric& fabric,
                       const Catalog& catalog, const ReadProgress& progress) {
    TraceJob ready;
    ready.recording = import_trace({workload.file, format_of(workload.format), workload.size}, progress);
    try {
        const GpuScaling scaling =
            gpu_scaling(catalog, fabric.node().gpu, workload.recorded_on, ready.recording.recorded_on);
        ready.job = recorded_job(ready.recording, fabric.gpu_count(), workload.ranks);
        PlannedCalls calls(fabric, scenario.library, catalog);
        ready.replayed = make_replayed(ready.recording, ready.job, fabric, scaling, calls);
        ready.figures = calls.figures();
        ready.notes = ready.recording.notes;
        if (any_timed_kernel(ready.recording)) {
            merge_notes(ready.notes, {scaling.note});
        }
        merge_notes(ready.notes, ready.job.notes);
        merge_notes(ready.notes, ready.replayed.notes);
        merge_notes(ready.notes, calls.notes());
        ready.evidence_notes = calls.evidence_notes();
    } catch (const JobError& error) {
        fail_at(scenario, workload.ranks != 0 ? "workload.ranks" : "cluster", error.what());
    }
    return ready;
}

}  // namespace fabricast
