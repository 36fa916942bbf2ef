// A recorded trace replayed: kernels on the cluster's GPUs, communication planned anew for its fabric.

#include <algorithm>
#include <utility>

#include "sim/job.hpp"
#include "sim/report/summarize.hpp"
#include "sim/trouble.hpp"
#include "sim/workloads/import/account.hpp"
#include "sim/workloads/import/import.hpp"

namespace fabricast {

namespace {

constexpr double import_share = 0.5;  // of the progress line

TraceFormat format_of(const std::string& name) {
    for (const TraceFormat format : every_trace_format) {
        if (word(format) == name) {
            return format;
        }
    }
    return TraceFormat::automatic;
}

Recording read(const TraceWorkload& workload, const Watch& watch) {
    return import_trace({workload.file, format_of(workload.format), workload.size}, [&](double share) {
        if (watch.stop != nullptr && *watch.stop) {
            throw Stopped();
        }
        if (watch.progress) {
            watch.progress(import_share * share);
        }
    });
}

bool any_timed_kernel(const Recording& recording) {
    return std::any_of(recording.ranks.begin(), recording.ranks.end(), [](const RankRecording& rank) {
        return std::any_of(rank.records.begin(), rank.records.end(),
                           [](const Record& r) { return r.kind == RecordKind::compute && r.time.ps > 0; });
    });
}

Timeline replay_rest(const Job& job, const Schedule& schedule) {
    Watch watch = job.watch;
    if (watch.progress) {
        watch.progress = [&](double share) { job.watch.progress(import_share + (1 - import_share) * share); };
    }
    return replay(job.scenario.engine, job.fabric, schedule, job.events, watch);
}

}  // namespace

Report run(const TraceWorkload& workload, const Job& job) {
    const Recording recording = read(workload, job.watch);
    try {
        const GpuScaling scaling =
            gpu_scaling(job.catalog, job.fabric.node().gpu, workload.recorded_on, recording.recorded_on);
        RecordedJob recorded = recorded_job(recording, job.fabric.gpu_count(), workload.ranks);
        PlannedCalls calls(job.fabric, job.scenario.library, job.catalog);
        const Replayed replayed = lower(recording, recorded, job.fabric, scaling, calls);
        const Timeline timeline = replay_rest(job, replayed.schedule);
        Report report;
        report.replay = account(recording, recorded, replayed, timeline, job.fabric);
        report.figures = calls.figures();
        report.notes = recording.notes;
        if (any_timed_kernel(recording)) {
            merge_notes(report.notes, {scaling.note});
        }
        merge_notes(report.notes, recorded.notes);
        merge_notes(report.notes, replayed.notes);
        merge_notes(report.notes, calls.notes());
        report.evidence_notes = calls.evidence_notes();
        report.traffic = {link_traffic("replay", timeline, job.fabric)};
        if (job.options.trace) {
            report.trace = replay_spans(recording, recorded, replayed, timeline);
        }
        return report;
    } catch (const JobError& error) {
        fail_at(job.scenario, workload.ranks != 0 ? "workload.ranks" : "cluster", error.what());
    }
}

}  // namespace fabricast
