#include "discovery/site/nvlink_cables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "discovery/site/nvlink_counts.hpp"
#include "models/device_part.hpp"

namespace fabricast::inline site {

namespace {

class NvlinkCables {
public:
    explicit NvlinkCables(ShapeDraft& draft) : draft_(draft) {}

    void run() {
        const Part& part = draft_.catalog.at("gpu", draft_.shape.gpu.name);
        const double capability = part.number_or("compute_capability", 80);
        std::string link = part.word_or("nvlink", "");
        if (link.empty()) {  // a card with a bridge
            link = capability < 80 ? "nvlink-2" : capability < 90 ? "nvlink-3-bridge" : "nvlink-4";
        }
        NvlinkCounts counts = count_nvlinks(draft_.gpus, gpu_spec(part).nvlinks);
        for (std::size_t g = 0; g < draft_.gpus.size(); ++g) {
            const std::string name = fmt::format("gpu{}", g);
            if (counts.to_switch[g] > 0) {
                draft_.shape.cables.push_back({name, plane_name(counts, counts.plane[g]), link, counts.to_switch[g]});
            }
            if (counts.to_cpu[g] > 0) {
                draft_.shape.cables.push_back({name, draft_.cpu_of(draft_.gpus[g].numa), link, counts.to_cpu[g]});
            }
        }
        if (counts.any_to_switch) {
            const int generation = capability >= 100 ? 4 : capability >= 90 ? 3 : capability >= 80 ? 2 : 1;
            for (int plane = 0; plane < counts.planes; ++plane) {
                draft_.shape.devices.emplace_back(plane_name(counts, plane), fmt::format("nvswitch-{}", generation));
            }
            join_planes(counts, link);
        }
        if (!counts.mesh.empty()) {
            draft_.shape.mesh_link = link;
            draft_.shape.mesh = std::move(counts.mesh);
        }
    }

private:
    static std::string plane_name(const NvlinkCounts& counts, int plane) {
        return counts.planes == 1 ? "nvswitch" : fmt::format("nvswitch{}", plane);
    }

    // No file states the cables between NVSwitches. Two boards are joined by as many links as the GPUs of one have, as
    // in a DGX-2 (Hot Chips 30).
    void join_planes(const NvlinkCounts& counts, const std::string& link) {
        if (counts.planes < 2) { return; }
        std::vector<int> links(static_cast<std::size_t>(counts.planes));
        for (std::size_t g = 0; g < draft_.gpus.size(); ++g) {
            links[static_cast<std::size_t>(counts.plane[g])] += counts.to_switch[g];
        }
        const int each = *std::ranges::min_element(links) / (counts.planes - 1);
        for (int a = 0; a < counts.planes; ++a) {
            for (int b = a + 1; b < counts.planes; ++b) {
                draft_.shape.cables.push_back({plane_name(counts, a), plane_name(counts, b), link, each});
            }
        }
        draft_.shape.notes.push_back(fmt::format(
            "guess: {} boards whose GPUs share no NVSwitch are joined by {} links a pair", counts.planes, each));
    }

    ShapeDraft& draft_;
};

}  // namespace

void join_by_nvlinks(ShapeDraft& draft) { NvlinkCables(draft).run(); }

}  // namespace fabricast::inline site
