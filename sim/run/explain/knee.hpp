#pragma once
// Where scaling bends, and why: the same workload on clusters of growing size, with the time of each run blamed.

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/run/explain/explained_run.hpp"

namespace fabricast::inline explain {

struct KneePoint : ExplainedRun {
    double efficiency = 1;  // against the first point: of a step, throughput per GPU; of a collective, busbw
};

// The pair of successive points between which efficiency falls most, and the blame entry that grew most there.
struct Knee {
    std::uint32_t from_gpus = 0, to_gpus = 0;
    double lost = 0;  // the fall of efficiency, 0..1
    Blame cause;      // its seconds are the growth beyond what the work per GPU explains
};

struct ScalingCurve {
    std::vector<KneePoint> points;
    std::optional<Knee> knee;  // none if efficiency never falls by more than 0.01 between two points
};

// Node counts double up to the scenario's own, or are those of its `scaling`. Sizes that the workload does not fit are
// left out. Throws as simulate does.
ScalingCurve scaling_curve(const Scenario& scenario, const Catalog& catalog, std::size_t threads,
                           const Watch& watch = {});

}  // namespace fabricast::inline explain
