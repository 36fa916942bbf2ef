#pragma once
// When a call takes a kernel over symmetric windows, and which.

#include <optional>

#include "sim/plan/collectives/lowered_call.hpp"
#include "sim/plan/collectives/nccl/tuning.hpp"

namespace fabricast::inline collectives {

// Whether calls take such kernels where one serves them. Notes why not, if windows are registered. Throws PlanError if
// the scenario registers windows that this NCCL does not know, or asks for an algorithm beside them.
bool takes_windows(const CollectiveWorkload& workload, const LibrarySpec& library, const nccl::Version& version,
                   const PathRules& rules, nccl::Environment& environment);

// NCCL's choice for a call of `bytes`: a kernel, or the copy engines; none if nothing serves it: then it runs as
// without windows.
std::optional<nccl::Estimate> window_choice(const CollectiveWorkload& workload, const nccl::Environment& environment,
                                            const nccl::Version& version, const nccl::TopologySearchResult& found,
                                            const GpuSpec& gpu, std::uint32_t ranks, double bytes, const Part& figures);

}  // namespace fabricast::inline collectives
