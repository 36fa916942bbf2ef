#pragma once
// Plans one collective call of one size, as the given version of NCCL would run it.

#include <memory>

#include "models/catalog.hpp"
#include "sim/plan/collectives/collective.hpp"
#include "sim/plan/collectives/nccl_algorithms.hpp"
#include "sim/plan/collectives/plan.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline collectives {

// Whether NCCL chooses an algorithm: not for sends and receives, nor where fabricast lowers one step by step.
bool nccl_chooses(const CollectiveWorkload& workload);

// Plans calls of one workload on one fabric: the topology search and the choice of constants are done once. Keeps
// references to its arguments, except the workload.
class Planner {
public:
    // Throws PlanError.
    Planner(const CollectiveWorkload& workload, const Fabric& fabric, const LibrarySpec& library,
            const LaunchSpec& launch, const Catalog& catalog, nccl::Algorithms algorithms = nccl::all_algorithms());

    // `size` is nccl-tests': the larger of a rank's two buffers. If `judged` is false, evidence and interval are left
    // out: they take about as long as twenty plans. Throws PlanError.
    CallPlan plan(Bytes size, bool judged = true, int iterations = planned_iterations) const;

private:
    struct Prepared;
    std::shared_ptr<const Prepared> prepared_;  // copies share it
};

}  // namespace fabricast::inline collectives
