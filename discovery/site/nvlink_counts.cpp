#include "discovery/site/nvlink_counts.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace fabricast::inline site {

namespace {

// In nvidia-smi's matrix GPUs that meet in NVSwitches show all their links towards every peer.
void through_switches(NvlinkCounts& counts, int most) {
    for (std::size_t g = 0; g < counts.mesh.size(); ++g) {
        int sum = 0, widest = 0;
        for (const int count : counts.mesh[g]) {
            sum += count;
            widest = std::max(widest, count);
        }
        if (most > 0 && sum > most && counts.to_switch[g] == 0) { counts.to_switch[g] = widest; }
    }
    if (std::ranges::any_of(counts.to_switch, [](int count) { return count > 0; })) {
        counts.any_to_switch = true;
        counts.mesh.clear();
    }
}

// One side may not have printed a link that the other did.
void make_even(std::vector<std::vector<int>>& mesh) {
    bool any = false;
    for (std::size_t g = 0; g < mesh.size(); ++g) {
        for (std::size_t h = 0; h < g; ++h) {
            mesh[g][h] = mesh[h][g] = std::max(mesh[g][h], mesh[h][g]);
            any = any || mesh[g][h] > 0;
        }
    }
    if (!any) { mesh.clear(); }
}

// GPUs that share a switch are on one plane; of the GPUs for which no switch is stated all are on the first one.
void number_planes(NvlinkCounts& counts, const std::vector<GpuSeen>& gpus) {
    std::map<std::string, int> plane_of;  // by switch
    for (const GpuSeen& gpu : gpus) {
        int plane = -1;
        for (const NvlinkSeen& seen : gpu.nvlinks) {
            const auto known = plane_of.find(seen.hub);
            if (known != plane_of.end()) { plane = plane < 0 ? known->second : std::min(plane, known->second); }
        }
        if (plane < 0) { plane = counts.planes++; }
        for (const NvlinkSeen& seen : gpu.nvlinks) { plane_of.emplace(seen.hub, plane); }
        counts.plane.push_back(plane);
    }
}

}  // namespace

NvlinkCounts count_nvlinks(const std::vector<GpuSeen>& gpus, int most) {
    std::map<std::string, std::size_t> gpu_at;
    for (std::size_t g = 0; g < gpus.size(); ++g) {
        if (!gpus[g].bus.empty()) { gpu_at[gpus[g].bus] = g; }
        gpu_at["gpu" + std::to_string(g)] = g;
    }
    NvlinkCounts counts;
    counts.mesh.assign(gpus.size(), std::vector<int>(gpus.size()));
    counts.to_switch.resize(gpus.size());
    counts.to_cpu.resize(gpus.size());
    for (std::size_t g = 0; g < gpus.size(); ++g) {
        for (const NvlinkSeen& seen : gpus[g].nvlinks) {
            const auto peer = gpu_at.find(seen.target);
            if (peer != gpu_at.end()) {
                counts.mesh[g][peer->second] = seen.count;
            } else {
                (seen.target == "cpu" ? counts.to_cpu : counts.to_switch)[g] += seen.count;
            }
        }
    }
    through_switches(counts, most);
    number_planes(counts, gpus);
    make_even(counts.mesh);
    const auto limit = [&](int& count) { count = most > 0 ? std::min(count, most) : count; };
    std::ranges::for_each(counts.to_switch, limit);
    std::ranges::for_each(counts.to_cpu, limit);
    return counts;
}

}  // namespace fabricast::inline site
