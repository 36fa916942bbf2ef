#include "sim/run/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/parallel_map_ordered.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/scenario_context.hpp"

namespace fabricast::inline run {

namespace {

// Events count for the scenario's own cluster only.
Scenario on_cluster(Scenario scenario, const ClusterRequest& cluster) {
    scenario.cluster = cluster;
    scenario.events.clear();
    return scenario;
}

void scale_batch(Scenario& scenario, double gpus, double own_gpus) {
    auto& workload = std::get<TrainingWorkload>(scenario.workload);
    workload.parallelism.data = 0;
    if (scenario.scaling->mode == ScalingMode::weak && workload.global_batch > 0) {
        const double batch = std::round(workload.global_batch * gpus / own_gpus);
        if (batch > std::numeric_limits<std::uint32_t>::max()) {
            fail_at(scenario, "workload.global_batch",
                    fmt::format("the batch of {} GPUs is too large", std::llround(gpus)),
                    fmt::to_string(std::llround(batch)), "up to 4294967295");
        }
        workload.global_batch = static_cast<std::uint32_t>(batch);
    }
}

// Without a batch of its own, each cluster would take the one that fills it, as weak scaling does.
void refuse_unstated_batch(const Scenario& scenario) {
    const auto* training = std::get_if<TrainingWorkload>(&scenario.workload);
    if (training != nullptr && training->global_batch == 0 && scenario.scaling->mode == ScalingMode::strong) {
        fail_at(scenario, "scaling.mode",
                "`strong` keeps the batch, and none is stated (accepted: "
                "workload.global_batch beside it, or `weak`)");
    }
}

ScalingPoint point_of(const ClusterRequest& cluster, const Job& job, const Watch& watch) {
    const Scenario scenario = on_cluster(job.scenario, cluster);
    const Fabric built(build(scenario, job.catalog));
    ScalingPoint point{built.node_count(), built.gpu_count(), {}, {}, {}, {}, {}};
    const auto& step = scenario.scaling->step;
    if (point.gpus < 2) {  // a single GPU does not communicate
        if (step) { add_step(point, *step, 0); }
        return point;
    }
    const Job scaled(scenario, job.catalog, built);
    const auto row_of = [&](Bytes size) { return forecast(scaled, size, watch, {false, false}).rows.front(); };
    const auto& sizes = collective_of(scenario).sizes;
    point.busbw = row_of(*std::max_element(sizes.begin(), sizes.end())).busbw;
    if (step) { add_step(point, *step, row_of(step->bytes).time_s); }
    return point;
}

}  // namespace

bool grows(const Workload& workload) {
    return std::holds_alternative<CollectiveWorkload>(workload) || std::holds_alternative<TrainingWorkload>(workload);
}

std::vector<ClusterRequest> scaling_clusters(const Scenario& scenario, std::uint32_t gpus_per_node) {
    std::vector<ClusterRequest> clusters;
    if (!scenario.scaling) { return clusters; }
    refuse_unstated_batch(scenario);
    for (const std::uint32_t nodes : scenario.scaling->nodes) {
        clusters.push_back(scenario.cluster);
        clusters.back().nodes = nodes;
    }
    for (const std::uint32_t gpus : scenario.scaling->gpus) {
        if (gpus > gpus_per_node && gpus % gpus_per_node != 0) {
            fail_at(scenario, "scaling.gpus", "not a number of whole nodes", fmt::to_string(gpus),
                    fmt::format("less than {}, or its multiples", gpus_per_node));
        }
        clusters.push_back(scenario.cluster);
        clusters.back().nodes = std::max(1U, gpus / gpus_per_node);
        clusters.back().gpus_per_node = std::min(gpus, gpus_per_node);
    }
    return clusters;
}

void add_step(ScalingPoint& point, const ScalingStep& step, double comm) {
    const double compute = to_seconds(step.compute);
    point.exposed_comm_s = comm - std::min(step.overlap * comm, compute);
    point.step_time_s = compute + *point.exposed_comm_s;
    point.efficiency = *point.step_time_s > 0 ? compute / *point.step_time_s : 0;
}

Report forecast_step_on(const ClusterRequest& cluster, const Job& job, const Watch& watch,
                        const ForecastOptions& options) {
    Scenario scenario = on_cluster(job.scenario, cluster);
    const Fabric built(build(scenario, job.catalog));
    scale_batch(scenario, built.gpu_count(), job.fabric.gpu_count());
    try {
        return forecast(Job(std::move(scenario), job.catalog, built), Bytes{}, watch, options);
    } catch (const PlanError& error) {
        throw PlanError(fmt::format("at {} GPUs: {}", built.gpu_count(), error.what()), error.key);
    }
}

std::vector<ScalingPoint> scaling_points(const std::vector<ClusterRequest>& clusters, const Job& job,
                                         const Watch& watch, std::size_t threads) {
    std::vector<ScalingPoint> points;
    const auto run = [&](std::size_t i) { return point_of(clusters[i], job, watch); };
    parallel_map_ordered(clusters.size(), threads, run, [&](ScalingPoint point) {
        // Relative to the first point that communicates.
        const auto first =
            std::find_if(points.begin(), points.end(), [](const ScalingPoint& p) { return p.busbw > 0; });
        point.busbw_retained = first == points.end() ? 1 : point.busbw / first->busbw;
        points.push_back(point);
    });
    return points;
}

}  // namespace fabricast::inline run
