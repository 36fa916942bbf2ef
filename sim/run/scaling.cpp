#include "sim/run/scaling.hpp"

#include <algorithm>

#include "base/parallel_map_ordered.hpp"
#include "sim/plan/collectives/planner.hpp"
#include "sim/report/summarize.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/scenario_context.hpp"

namespace fabricast {

namespace {

Row row_of(const Scenario& scenario, const Planner& planner, const Fabric& fabric, Bytes size, const Watch& watch) {
    const Plan planned = planner.plan(size, false);
    return summarize(planned, size, replay(scenario.engine, fabric, planned.schedule, {}, watch), fabric);
}

ScalingPoint point_of(Scenario scenario, const ClusterRequest& cluster, const Catalog& catalog, const Watch& watch) {
    scenario.cluster = cluster;
    const Fabric fabric(build(scenario, catalog));
    ScalingPoint point{fabric.node_count(), fabric.gpu_count(), {}, {}, {}, {}, {}};
    const auto& step = scenario.scaling->step;
    if (point.gpus < 2) {  // a single GPU does not communicate
        if (step) {
            add_step(point, *step, 0);
        }
        return point;
    }
    const Planner planner(collective_of(scenario), fabric, scenario.library, scenario.launch, catalog);
    const auto& sizes = collective_of(scenario).sizes;
    const Bytes largest = *std::max_element(sizes.begin(), sizes.end());
    point.busbw = row_of(scenario, planner, fabric, largest, watch).busbw;
    if (step) {
        add_step(point, *step, row_of(scenario, planner, fabric, step->bytes, watch).time_s);
    }
    return point;
}

}  // namespace

bool grows(const Workload& workload) {
    return std::holds_alternative<CollectiveWorkload>(workload) || std::holds_alternative<TrainingWorkload>(workload);
}

std::vector<ClusterRequest> scaling_clusters(const Scenario& scenario, std::uint32_t gpus_per_node) {
    std::vector<ClusterRequest> clusters;
    if (!scenario.scaling) {
        return clusters;
    }
    for (const std::uint32_t nodes : scenario.scaling->nodes) {
        clusters.push_back(scenario.cluster);
        clusters.back().nodes = nodes;
    }
    for (const std::uint32_t gpus : scenario.scaling->gpus) {
        if (gpus > gpus_per_node && gpus % gpus_per_node != 0) {
            fail_at(scenario, "scaling.gpus",
                    error_message("not a number of whole nodes", std::to_string(gpus),
                                  "less than " + std::to_string(gpus_per_node) + ", or its multiples"));
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

std::vector<ScalingPoint> scaling_points(const Scenario& scenario, const std::vector<ClusterRequest>& clusters,
                                         const Catalog& catalog, const Watch& watch, std::size_t threads) {
    std::vector<ScalingPoint> points;
    const auto run = [&](std::size_t i) { return point_of(scenario, clusters[i], catalog, watch); };
    parallel_map_ordered(clusters.size(), threads, run, [&](ScalingPoint point) {
        // Relative to the first point that communicates.
        const auto first =
            std::find_if(points.begin(), points.end(), [](const ScalingPoint& p) { return p.busbw > 0; });
        point.busbw_retained = first == points.end() ? 1 : point.busbw / first->busbw;
        points.push_back(point);
    });
    return points;
}

}  // namespace fabricast
