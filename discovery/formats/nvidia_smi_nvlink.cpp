// `nvidia-smi nvlink --status` (a rate for each link that is up), `-p` and `-R` (what is at its other end).

#include <algorithm>

#include "discovery/format.hpp"

namespace fabricast::inline discovery::formats {

namespace {

struct NvlinkPatterns {
    Pattern gpu{R"re(^GPU\s+(\d+):\s*(.*?)\s*(?:\(UUID.*)?$)re"};
    Pattern status{R"re(^\s*Link\s+(\d+):\s*(?:([\d.]+)\s*GB/s|(<?inactive>?))\s*$)re"};
    Pattern remote{
        R"re(^\s*Link\s+(\d+):\s*(?:Remote Device\s+)?([0-9A-Fa-f]+:[0-9A-Fa-f:.]+)\s*(?::\s*Link\s+\d+)?$)re"};
};

void add_link(GpuSeen& gpu, std::string target) {
    const auto same = std::ranges::find(gpu.nvlinks, target, &NvlinkSeen::target);
    if (same == gpu.nvlinks.end()) {
        gpu.nvlinks.push_back({std::move(target), 1});
    } else {
        ++same->count;
    }
}

Observations read_nvlink(const SourceText& source) {
    const auto& patterns = compiled<NvlinkPatterns>();
    Observations seen;
    NodeSeen& node = seen.nodes.emplace_back();
    node.at = source.at(1);
    for (const TextLine& line : source.lines()) {
        if (const Match gpu{patterns.gpu, line.text}) {
            GpuSeen& own = add_end(node.gpus, gpu.whole(1, -1), source.at(line));
            own.model = gpu[2];
            own.nvlinks_stated = true;
        } else if (line.text.empty() || node.gpus.empty()) {
            continue;  // a shell's prompt or a banner before the first GPU
        } else if (const Match status{patterns.status, line.text}) {
            if (status[2].empty()) {
                ++node.gpus.back().inactive;
            } else {
                add_link(node.gpus.back(), "");  // what it leads to, this form does not say
            }
        } else if (const Match remote{patterns.remote, line.text}) {
            add_link(node.gpus.back(), normal_bus(remote[2]));
        } else if (line.text.find("Link") != std::string_view::npos) {
            refuse(source.at(line), "a line about a link", shown(line.text),
                   "Link 0: 25 GB/s; Link 0: <inactive>; Link 0: Remote Device 0000:07:00.0: Link 46");
        }
    }
    return seen;
}

bool fits_nvlink(const SourceText& source) {
    return std::ranges::any_of(source.lines(), [](const TextLine& line) {
        return line.text.starts_with("GPU ") && compiled<NvlinkPatterns>().gpu.found_in(line.text);
    });
}

}  // namespace

extern const SiteFormat nvidia_smi_nvlink{"nvidia-smi-nvlink", "`nvidia-smi nvlink --status`, `-p` or `-R`",
                                          fits_nvlink, read_nvlink};

}  // namespace fabricast::inline discovery::formats
