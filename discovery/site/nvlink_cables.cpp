#include "discovery/site/nvlink_cables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "models/device_part.hpp"

namespace fabricast::inline site {

namespace {

// How many NVLinks each GPU has, and to what, from what files say of its far ends.
struct NvlinkCounts {
    std::vector<int> to_switch, to_cpu;  // by GPU
    // By GPU, the plane of NVSwitches that it reaches: boards whose GPUs share no switch have a plane each.
    std::vector<int> plane;
    int planes = 0;
    std::vector<std::vector<int>> mesh;  // between GPUs; empty if there are none
    bool any_to_switch = false;
};

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

// `most`: NVLinks that such a GPU has; 0: any number.
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

std::string plane_name(const NvlinkCounts& counts, int plane) {
    return counts.planes == 1 ? "nvswitch" : fmt::format("nvswitch{}", plane);
}

// No file states the cables between NVSwitches. Two boards are joined by as many links as the GPUs of one have, as
// in a DGX-2 (Hot Chips 30).
void join_planes(ShapeDraft& draft, const NvlinkCounts& counts, const std::string& link) {
    if (counts.planes < 2) { return; }
    std::vector<int> links(static_cast<std::size_t>(counts.planes));
    for (std::size_t g = 0; g < draft.gpus.size(); ++g) {
        links[static_cast<std::size_t>(counts.plane[g])] += counts.to_switch[g];
    }
    const int each = *std::ranges::min_element(links) / (counts.planes - 1);
    for (int a = 0; a < counts.planes; ++a) {
        for (int b = a + 1; b < counts.planes; ++b) {
            draft.shape.cables.push_back({plane_name(counts, a), plane_name(counts, b), link, each});
        }
    }
    draft.shape.notes.push_back(fmt::format(
        "guess: {} boards whose GPUs share no NVSwitch are joined by {} links a pair", counts.planes, each));
}

}  // namespace

void join_by_nvlinks(ShapeDraft& draft) {
    const Part& part = draft.catalog.at("gpu", draft.shape.gpu.name);
    const double capability = part.number_or("compute_capability", 80);
    std::string link = part.word_or("nvlink", "");
    if (link.empty()) {  // a card with a bridge
        link = capability < 80 ? "nvlink-2" : capability < 90 ? "nvlink-3-bridge" : "nvlink-4";
    }
    NvlinkCounts counts = count_nvlinks(draft.gpus, gpu_spec(part).nvlinks);
    for (std::size_t g = 0; g < draft.gpus.size(); ++g) {
        const std::string name = fmt::format("gpu{}", g);
        if (counts.to_switch[g] > 0) {
            draft.shape.cables.push_back({name, plane_name(counts, counts.plane[g]), link, counts.to_switch[g]});
        }
        if (counts.to_cpu[g] > 0) {
            draft.shape.cables.push_back({name, draft.cpu_of(draft.gpus[g].numa), link, counts.to_cpu[g]});
        }
    }
    if (counts.any_to_switch) {
        const int generation = capability >= 100 ? 4 : capability >= 90 ? 3 : capability >= 80 ? 2 : 1;
        for (int plane = 0; plane < counts.planes; ++plane) {
            draft.shape.devices.emplace_back(plane_name(counts, plane), fmt::format("nvswitch-{}", generation));
        }
        join_planes(draft, counts, link);
    }
    if (!counts.mesh.empty()) {
        draft.shape.mesh_link = link;
        draft.shape.mesh = std::move(counts.mesh);
    }
}

}  // namespace fabricast::inline site
