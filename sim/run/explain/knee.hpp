#pragma once
// Where scaling bends, and why: the same workload on growing clusters, each run blamed.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/run/explain/explained_run.hpp"

namespace fabricast {

struct KneePoint {
    std::uint32_t nodes = 0, gpus = 0;
    double seconds = 0;
    double efficiency = 1;  // against the first point: throughput a GPU of a step, bus bandwidth of a collective
    std::vector<Blame> blames;
};

// The step at which efficiency falls most from one point to the next, and what grew most there.
struct Knee {
    std::uint32_t from_gpus = 0, to_gpus = 0;
    double lost = 0;  // of the efficiency, 0..1
    Blame cause;      // its seconds are the growth, beyond what the whole time grew by if all had grown alike
};

struct ScalingCurve {
    std::vector<KneePoint> points;
    std::optional<Knee> knee;  // none where efficiency falls nowhere by a hundredth
};

// Node counts double up to the scenario's own, or are those of its `scaling`. Sizes that the workload does not fit are
// left out. Throws as simulate does.
ScalingCurve scaling_curve(const Scenario& scenario, const Catalog& catalog, std::size_t threads,
                           const Watch& watch = {});

}  // namespace fabricast
