#include "sim/run/run_training.hpp"

// A training step on the scenario's cluster, or on each size of its scaling table.

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "base/parallel_map_ordered.hpp"
#include "sim/report/summarize.hpp"
#include "sim/run/forecast_step.hpp"
#include "sim/run/scaling.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/scenario_context.hpp"

namespace fabricast {

namespace {

// The workload at one cluster size. The scenario's batch belongs to the scenario's own cluster; weak scaling keeps the
// samples per data rank.
TrainingWorkload at_size(const TrainingWorkload& workload, const Scenario& scenario, double gpus, double own_gpus) {
    TrainingWorkload out = workload;
    out.parallelism.data = 0;
    if (scenario.scaling->mode == ScalingMode::weak && workload.global_batch > 0) {
        const double batch = std::round(workload.global_batch * gpus / own_gpus);
        if (batch > std::numeric_limits<std::uint32_t>::max()) {
            fail_at(scenario, "workload.global_batch",
                    error_message("the batch of " + std::to_string(std::llround(gpus)) + " GPUs is too large",
                                  std::to_string(std::llround(batch)), "up to 4294967295"));
        }
        out.global_batch = static_cast<std::uint32_t>(batch);
    }
    return out;
}

StepForecast one_size(const TrainingWorkload& workload, const ClusterRequest& cluster, const Job& job) {
    Scenario scenario = job.scenario;
    scenario.cluster = cluster;
    const Fabric fabric(build(scenario, job.catalog));
    const TrainingWorkload sized = at_size(workload, scenario, fabric.gpu_count(), job.fabric.gpu_count());
    return forecast_step(scenario, sized, fabric, job.catalog, {}, job.watch, job.options.trace);
}

void append(Report& report, StepForecast forecast) {
    const auto per_gpu = [](const StepRow& row) { return row.samples_per_s / row.gpus; };
    StepRow& row = forecast.row;
    row.efficiency = report.steps.empty() ? 1 : per_gpu(row) / per_gpu(report.steps.front());
    report.steps.push_back(std::move(row));
    report.traffic.push_back(std::move(forecast.traffic));
    merge_figures(report.figures, forecast.figures);
    merge_notes(report.notes, forecast.notes);
    merge_notes(report.evidence_notes, forecast.evidence_notes);
    for (TraceSpan& span : forecast.trace) {
        span.row = std::to_string(report.steps.back().gpus) + " GPUs, " + span.row;
        report.trace.push_back(std::move(span));
    }
}

}  // namespace

Report run(const TrainingWorkload& workload, const Job& job) {
    Report report;
    try {
        const std::vector<ClusterRequest> clusters = scaling_clusters(job.scenario, job.fabric.gpus_per_node());
        if (clusters.empty()) {
            append(report, forecast_step(job.scenario, workload, job.fabric, job.catalog, job.events, job.watch,
                                         job.options.trace));
        }
        const auto size = [&](std::size_t i) { return one_size(workload, clusters[i], job); };
        parallel_map_ordered(clusters.size(), job.options.threads, size,
                             [&](StepForecast done) { append(report, std::move(done)); });
    } catch (const LayoutError& error) {
        fail_at(job.scenario, error.key, error.what());
    }
    return report;
}

}  // namespace fabricast
