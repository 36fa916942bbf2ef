#pragma once
// GPU memory for probes that are built without the CUDA toolkit: the driver's own library, found when the program runs.

#include <memory>
#include <string>

#include "core/arena.hpp"

namespace probe {

// Memory of one GPU in its primary context, which stays current for the calling thread. Throws NotHere without a
// driver or such a GPU.
std::unique_ptr<Arena> gpu_arena(int gpu, std::size_t bytes);

struct GpuName {
    std::string name;    // "NVIDIA H100 80GB HBM3"
    std::string driver;  // CUDA version of the driver, "12.4"
};
GpuName gpu_name(int gpu);

}  // namespace probe
