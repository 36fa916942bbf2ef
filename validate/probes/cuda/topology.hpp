#pragma once
// The GPUs of this machine: what they are, what they hang on, who reaches whom.

#include <cstdint>
#include <string>
#include <vector>

#include "core/writer.hpp"
#include "cuda/plan.hpp"

namespace probe {

struct GpuInfo {
    std::string name;
    std::string bus_id;
    int numa_node = -1;
    std::uint64_t cache_bytes = 0;
};

// Throws NotHere without a driver or a GPU.
std::vector<GpuInfo> find_gpus();

// Which GPUs' threads may touch which memory, with access enabled both ways where the hardware allows.
GpuSet connect_gpus(int count);

// gpu, gpus_per_node and nodes of the run, and a line for each GPU of this machine and each pair of them.
Section describe(const std::vector<GpuInfo>& gpus, std::size_t gpus_per_node, std::size_t nodes);

// "13.0" of the runtime that was built in, of the driver's CUDA, NVML's driver version, the kernel and the compilers.
Section cuda_software();

}  // namespace probe
