#pragma once
// How many NVLinks each GPU has, and to what, from what files say of its far ends.

#include <vector>

#include "discovery/observation.hpp"

namespace fabricast::inline site {

struct NvlinkCounts {
    std::vector<int> to_switch, to_cpu;  // by GPU
    // By GPU, the plane of NVSwitches that it reaches: boards whose GPUs share no switch have a plane each.
    std::vector<int> plane;
    int planes = 0;
    std::vector<std::vector<int>> mesh;  // between GPUs; empty if there are none
    bool any_to_switch = false;
};

// `most`: NVLinks that such a GPU has; 0: any number.
NvlinkCounts count_nvlinks(const std::vector<GpuSeen>& gpus, int most);

}  // namespace fabricast::inline site
