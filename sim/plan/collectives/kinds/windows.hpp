#pragma once
// When a call takes a kernel over symmetric windows, and which.

#include <optional>

#include "sim/plan/collectives/lowered_call.hpp"
#include "sim/plan/collectives/nccl/tuning.hpp"

namespace fabricast::inline collectives {

// Whether calls take such kernels where one serves them. Notes why not, if windows are registered. Between nodes they
// need a network to which GPUs put data themselves (`gin`). Throws PlanError if the scenario registers windows that
// this NCCL does not know, or asks for an algorithm beside them.
bool takes_windows(const CollectiveWorkload& workload, const LibrarySpec& library, const nccl::Release& release,
                   const PathRules& rules, bool gin, nccl::Environment& environment);

// Whether that is so of a transport: NCCL's own, over InfiniBand or RoCE, with GPUDirect.
bool has_gin(const Part* transport, bool gpu_direct);

// NCCL's choice for a call of `bytes`: a kernel, or the copy engines; none if nothing serves it: then it runs as
// without windows.
std::optional<nccl::Estimate> window_choice(const CollectiveWorkload& workload, const nccl::Environment& environment,
                                            const nccl::Release& release, const nccl::TopologySearchResult& found,
                                            const Fabric& fabric, double bytes, const Part& figures);

}  // namespace fabricast::inline collectives
