#include "sim/run/explain/knee.hpp"

#include <cmath>

#include "base/parallel_map_ordered.hpp"
#include "sim/run/scaling.hpp"
#include "sim/run/simulate.hpp"
#include "sim/scenario/build.hpp"
#include "sim/scenario/scenario_context.hpp"

namespace fabricast::inline explain {

namespace {

constexpr double least_fall = 0.01;

std::vector<ClusterRequest> clusters_of(Scenario scenario, std::uint32_t gpus_per_node) {
    if (!scenario.scaling) {
        std::vector<std::uint32_t>& counts = scenario.scaling.emplace().nodes;
        for (std::uint32_t nodes = 1; nodes < scenario.cluster.nodes; nodes *= 2) { counts.push_back(nodes); }
        counts.push_back(scenario.cluster.nodes);
    }
    return scaling_clusters(scenario, gpus_per_node);
}

bool is_strong(const Scenario& scenario) { return scenario.scaling && scenario.scaling->mode == ScalingMode::strong; }

// The scenario of one point. `share`: the factor of the global batch; with weak scaling each data rank keeps its work.
Scenario at_size(const Scenario& scenario, const ClusterRequest& cluster, double share) {
    Scenario out = single_point(scenario);
    out.cluster = cluster;
    if (auto* training = std::get_if<TrainingWorkload>(&out.workload)) {
        training->parallelism.data = 0;
        training->check_memory = false;  // a smaller cluster only serves as a reference
        training->global_batch = static_cast<std::uint32_t>(std::lround(training->global_batch * share));
    }
    return out;
}

// None if the workload does not fit the cluster, or cannot end there.
std::optional<KneePoint> point_at(const Scenario& scenario, const Catalog& catalog, const Watch& watch) {
    try {
        return KneePoint{explain_run(scenario, catalog, watch)};
    } catch (const InputError&) { return std::nullopt; } catch (const CannotEnd&) {
        return std::nullopt;
    }
}

// Work per second and GPU, up to a constant factor.
double pace(const Scenario& scenario, const KneePoint& point) {
    if (const auto* collective = std::get_if<CollectiveWorkload>(&scenario.workload)) {
        return busbw_factor(collective->collective, point.gpus) / point.seconds;
    }
    return (is_strong(scenario) ? 1.0 / point.gpus : 1) / point.seconds;
}

// The entry of `after` whose seconds exceed those before, times `work` (the ratio of the work per GPU), by most.
Blame grown_most(const KneePoint& before, const KneePoint& after, double work) {
    Blame most;
    for (const Blame& blame : after.blames) {
        double grown = blame.seconds;
        for (const Blame& old : before.blames) { grown -= alike(blame, old) ? old.seconds * work : 0; }
        if (grown > most.seconds) {
            most = blame;
            most.seconds = grown;
        }
    }
    return most;
}

}  // namespace

ScalingCurve scaling_curve(const Scenario& scenario, const Catalog& catalog, std::size_t threads, const Watch& watch) {
    if (!grows(scenario.workload)) { return {}; }
    const std::uint32_t per_node =
        pointing_into(scenario, [&] { return Fabric(build(scenario, catalog)).gpus_per_node(); });
    const std::vector<ClusterRequest> clusters = clusters_of(scenario, per_node);
    const auto gpus = [&](const ClusterRequest& c) {
        return static_cast<double>(c.nodes) * (c.gpus_per_node > 0 ? c.gpus_per_node : per_node);
    };
    const Watch quiet{watch.stop, {}};
    ScalingCurve curve;
    auto fitting = parallel_map(clusters.size(), threads, [&](std::size_t i) {
        const double share = is_strong(scenario) ? 1 : gpus(clusters[i]) / gpus(scenario.cluster);
        return point_at(at_size(scenario, clusters[i], share), catalog, quiet);
    });
    for (std::optional<KneePoint>& point : fitting) {
        if (point) { curve.points.push_back(std::move(*point)); }
    }
    double deepest = least_fall;
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
        KneePoint& point = curve.points[i];
        point.efficiency = pace(scenario, point) / pace(scenario, curve.points.front());
        if (i == 0) { continue; }
        const KneePoint& before = curve.points[i - 1];
        const double fall = before.efficiency - point.efficiency;
        if (fall > deepest) {
            deepest = fall;
            const auto work = [&](const KneePoint& p) { return pace(scenario, p) * p.seconds; };
            const double more = work(before) > 0 ? work(point) / work(before) : 1;
            curve.knee = Knee{before.gpus, point.gpus, fall, grown_most(before, point, more)};
        }
    }
    return curve;
}

}  // namespace fabricast::inline explain
