#pragma once
// The scaling table: the same collective on growing clusters, and what a training step keeps of its efficiency there.

#include <cstddef>
#include <vector>

#include "models/catalog.hpp"
#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast {

// Whether the workload can be run on more nodes: a recording has its ranks, a message its two ends.
bool grows(const Workload& workload);

// The clusters of the table, none without `scaling:`. Throws InputError where `gpus:` fills no whole nodes.
std::vector<ClusterRequest> scaling_clusters(const Scenario& scenario, std::uint32_t gpus_per_node);

// One point for each of the clusters, at the scenario's largest message size. Throws as simulate does.
std::vector<ScalingPoint> scaling_points(const Scenario& scenario, const std::vector<ClusterRequest>& clusters,
                                         const Catalog& catalog, const Watch& watch, std::size_t threads);

// A step of `compute` whose one collective takes `comm` seconds: what is exposed of it, and compute / step time.
void add_step(ScalingPoint& point, const ScalingStep& step, double comm);

}  // namespace fabricast
