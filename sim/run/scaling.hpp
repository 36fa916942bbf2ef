#pragma once
// The scaling table: the workload on clusters of growing size, and the efficiency that a training step keeps.

#include <cstddef>
#include <vector>

#include "sim/run/forecast.hpp"

namespace fabricast::inline run {

// Whether it can run on more nodes. A recording cannot (its ranks are fixed), nor a message between two devices.
bool grows(const Workload& workload);

// The clusters of the table; none without `scaling:`. Throws InputError if a count in `gpus:` is no multiple of a node,
// or if a training step is to keep a batch that is not stated.
std::vector<ClusterRequest> scaling_clusters(const Scenario& scenario, std::uint32_t gpus_per_node);

// The job's training step on another cluster, without events. The scenario's batch belongs to the scenario's own
// cluster; weak scaling keeps the samples per data rank. Throws as simulate does.
Report forecast_step_on(const ClusterRequest& cluster, const Job& job, const Watch& watch,
                        const ForecastOptions& options);

// One point for each cluster, at the largest message size of the job's collective. Throws as simulate does.
std::vector<ScalingPoint> scaling_points(const std::vector<ClusterRequest>& clusters, const Job& job,
                                         const Watch& watch, std::size_t threads);

// Fills in the columns of a training step of `step.compute` with one collective of `comm` seconds: exposed
// communication, step time, and efficiency (compute / step time).
void add_step(ScalingPoint& point, const ScalingStep& step, double comm);

}  // namespace fabricast::inline run
