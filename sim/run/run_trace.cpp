#include "sim/run/run_trace.hpp"

// Replays a recorded trace: kernels run on the cluster's GPUs, communication is planned anew for its fabric.

#include "sim/engines/common/watching.hpp"
#include "sim/report/summarize.hpp"
#include "sim/report/trace_account.hpp"
#include "sim/run/trace_job.hpp"

namespace fabricast {

namespace {

constexpr double import_share = 0.5;  // share of the progress that importing the trace takes

Timeline replay_rest(const Job& job, const Schedule& schedule) {
    Watch watch = job.watch;
    if (watch.progress) {
        watch.progress = [&](double share) { job.watch.progress(import_share + (1 - import_share) * share); };
    }
    return replay(job.scenario.engine, job.fabric, schedule, job.events, watch);
}

}  // namespace

Report run(const TraceWorkload& workload, const Job& job) {
    const TraceJob ready = prepare_trace(workload, job.scenario, job.fabric, job.catalog, [&](double share) {
        stop_if_asked(job.watch);
        if (job.watch.progress) {
            job.watch.progress(import_share * share);
        }
    });
    const Timeline timeline = replay_rest(job, ready.replayed.schedule);
    Report report;
    report.replay = account(ready.recording, ready.job, ready.replayed, timeline, job.fabric);
    report.figures = ready.figures;
    report.notes = ready.notes;
    report.evidence_notes = ready.evidence_notes;
    report.traffic = {link_traffic("replay", timeline, job.fabric)};
    if (job.options.trace) {
        report.trace = replay_spans(ready.recording, ready.job, ready.replayed, timeline);
    }
    return report;
}

}  // namespace fabricast
