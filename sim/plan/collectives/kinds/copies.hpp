#pragma once
// Collectives by the GPUs' copy engines: no kernel, so no SM, "zero CTA" in NCCL's words.

#include "sim/plan/collectives/lowered_call.hpp"
#include "sim/plan/collectives/nccl/tuning.hpp"

namespace fabricast::inline collectives {

// Whether NCCL copies a call of `bytes` over symmetric windows of one NVLink domain instead of running a kernel: where
// NCCL_CTA_POLICY=ZERO asks for it (from 2.28 on), and large all-gathers on Blackwell by itself (from 2.29.2 on;
// NVIDIA/nccl src/enqueue.cc, taskAppend; src/ce_coll.cc, ncclCeImplemented).
bool copies(const CollectiveWorkload& workload, const nccl::Environment& environment, const nccl::Version& version,
            int compute_capability, std::uint32_t ranks, double bytes);

// NCCL's choice of them.
nccl::Estimate by_copy_engine();

}  // namespace fabricast::inline collectives
