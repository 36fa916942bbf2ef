#pragma once
// When a call takes a kernel over symmetric windows, and which; or the GPUs' copy engines.

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

// Whether NCCL copies a call of `bytes` over symmetric windows instead of running a kernel, which takes no SM ("zero
// CTA" in its words): where NCCL_CTA_POLICY=ZERO asks for it, in one NVLink domain from 2.28 on and between several
// from 2.30.7 on, and in one large all-gathers on Blackwell by itself (NVIDIA/nccl src/enqueue.cc, taskAppend;
// src/ce_coll.cc, ncclCeImplemented, ncclHierCeAvailable).
bool copies(const CollectiveWorkload& workload, const nccl::Environment& environment, const nccl::Release& release,
            const Fabric& fabric, double bytes);

// NCCL's choice of them.
nccl::Estimate by_copy_engine();

}  // namespace fabricast::inline collectives
