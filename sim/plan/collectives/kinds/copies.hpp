#pragma once
// Collectives by the GPUs' copy engines: no kernel, so no SM, "zero CTA" in NCCL's words.

#include "sim/plan/collectives/lowered_call.hpp"
#include "sim/plan/collectives/nccl/tuning.hpp"

namespace fabricast::inline collectives {

// Whether NCCL copies a call of `bytes` over symmetric windows instead of running a kernel: where NCCL_CTA_POLICY=ZERO
// asks for it, in one NVLink domain from 2.28 on and between several from 2.30.7 on, and in one large all-gathers on
// Blackwell by itself (NVIDIA/nccl src/enqueue.cc, taskAppend; src/ce_coll.cc, ncclCeImplemented, ncclHierCeAvailable).
bool copies(const CollectiveWorkload& workload, const nccl::Environment& environment, const nccl::Release& release,
            const Fabric& fabric, double bytes);

// NCCL's choice of them.
nccl::Estimate by_copy_engine();

}  // namespace fabricast::inline collectives
