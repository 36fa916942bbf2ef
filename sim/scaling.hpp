#pragma once
// The scaling table: the same collective on growing clusters, and what a training step keeps of its efficiency there.

#include <cstddef>
#include <vector>

#include "models/catalog.hpp"
#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast {

// One point for each cluster size of the scenario, at its largest message size; empty without `scaling:`.
// Throws as simulate does.
std::vector<ScalingPoint> scaling_points(const Scenario& scenario, const Catalog& catalog, const Watch& watch,
                                         std::size_t threads);

// A step of `compute` whose one collective takes `comm` seconds: what is exposed of it, and compute / step time.
void add_step(ScalingPoint& point, const ScalingStep& step, double comm);

}  // namespace fabricast
