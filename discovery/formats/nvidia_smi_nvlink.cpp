// `nvidia-smi nvlink --status` (a rate for each link that is up) and `-R` (what is at its other end).

#include <algorithm>

#include "base/numbers.hpp"
#include "base/pattern.hpp"
#include "discovery/format.hpp"

namespace fabricast::inline discovery::formats {

namespace {

struct NvlinkPatterns {
    Pattern gpu{R"re(^GPU\s+(\d+):\s*(.*?)\s*(?:\(UUID.*)?$)re"};
    Pattern status{R"re(^\s*Link\s+(\d+):\s*(?:([\d.]+)\s*GB/s|(<?inactive>?))\s*$)re"};
    Pattern remote{R"re(^\s*Link\s+(\d+):\s*Remote Device\s+([0-9A-Fa-f:.]+)\s*:\s*Link\s+(\d+))re"};
};

const NvlinkPatterns& nvlink_patterns() {
    static const NvlinkPatterns patterns;
    return patterns;
}

void add_link(GpuSeen& gpu, std::string target) {
    const auto same = std::ranges::find(gpu.nvlinks, target, &NvlinkSeen::target);
    if (same == gpu.nvlinks.end()) {
        gpu.nvlinks.push_back({std::move(target), 1});
    } else {
        ++same->count;
    }
}

Observations read_nvlink(const SourceText& source) {
    const NvlinkPatterns& patterns = nvlink_patterns();
    NodeSeen node;
    node.at = source.at(1);
    for (const TextLine& line : source.lines()) {
        if (const auto gpu = patterns.gpu.first_in(line.text)) {
            GpuSeen& seen = node.gpus.emplace_back();
            seen.index = number_in<int>(*(*gpu)[1]).value_or(-1);
            seen.model = std::string(*(*gpu)[2]);
            seen.nvlinks_stated = true;
            seen.at = source.at(line);
        } else if (line.words().empty()) {
            continue;
        } else if (node.gpus.empty()) {
            continue;  // a shell's prompt or a banner before the first GPU
        } else if (const auto status = patterns.status.first_in(line.text)) {
            if ((*status)[2]) {
                add_link(node.gpus.back(), "");  // what it leads to, this form does not say
            } else {
                ++node.gpus.back().inactive;
            }
        } else if (const auto remote = patterns.remote.first_in(line.text)) {
            add_link(node.gpus.back(), normal_bus(*(*remote)[2]));
        } else if (line.text.find("Link") != std::string_view::npos) {
            refuse(source.at(line), "a line about a link", shown(line.text),
                   "Link 0: 25 GB/s; Link 0: <inactive>; Link 0: Remote Device 0000:07:00.0: Link 46");
        }
    }
    Observations seen;
    seen.nodes.push_back(std::move(node));
    return seen;
}

}  // namespace

extern const SiteFormat nvidia_smi_nvlink;
const SiteFormat nvidia_smi_nvlink{
    "nvidia-smi-nvlink", "`nvidia-smi nvlink --status` or `nvidia-smi nvlink -R`",
    [](const SourceText& source) {
        bool gpu = false;
        for (const TextLine& line : source.lines()) {
            gpu = gpu || (line.text.starts_with("GPU ") && nvlink_patterns().gpu.found_in(line.text));
            if (gpu && line.text.find("Link ") != std::string_view::npos) { return true; }
        }
        return gpu;
    },
    read_nvlink};

}  // namespace fabricast::inline discovery::formats
