#pragma once
// Host memory in place of the GPU's: which one, and the copies of all GPUs that share the way there.

#include "sim/engines/common/schedule.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline training {

struct HostMemory {
    DeviceId device{};
    double bandwidth = 0;    // bytes/s, of all that read and write it
    std::uint32_t gpus = 0;  // of the node that it is nearest to
};

// The memory nearest to the GPU. Throws PlanError if the node has none.
HostMemory host_memory_of(const Fabric& fabric, DeviceId gpu);

// Adds a copy of `bytes` for each GPU in ranks [first, last), to its host memory or from there.
std::vector<OpId> add_host_copies(Schedule& schedule, const Fabric& fabric, std::uint32_t first, std::uint32_t last,
                                  double bytes, bool to_host, std::span<const Schedule::Dependency> after);

}  // namespace fabricast::inline training
