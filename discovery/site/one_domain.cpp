#include "discovery/site/one_domain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace fabricast::inline site {

NodeSeen one_domain(std::vector<NodeSeen> hosts) {
    std::ranges::stable_sort(hosts, {}, [](const NodeSeen& host) {
        const auto first = std::ranges::min_element(host.gpus, {}, &GpuSeen::index);
        return first == host.gpus.end() ? -1 : first->index;
    });
    NodeSeen all;
    int numas = 0;
    for (std::size_t h = 0; h < hosts.size(); ++h) {
        NodeSeen& host = hosts[h];
        const int first = numas;
        const auto number = [&](int& numa) {
            numa = first + std::max(numa, 0);
            numas = std::max(numas, numa + 1);
        };
        const auto mark = [&](std::string& bus) {
            const bool is_bus = !bus.empty() && bus != "nvswitch" && bus != "cpu";
            if (is_bus) { bus = fmt::format("host{}/{}", h, bus); }
        };
        for (CpuSeen& cpu : host.cpus) {
            number(cpu.numa);
            cpu.host = static_cast<int>(h);
        }
        for (PciSeen& pci : host.pci) {
            number(pci.numa);
            mark(pci.bus);
            mark(pci.parent);
        }
        const bool ranked = std::ranges::none_of(host.gpus, [&](const GpuSeen& gpu) {
            return std::ranges::find(all.gpus, gpu.index, &GpuSeen::index) != all.gpus.end();
        });
        const auto gpus = static_cast<int>(all.gpus.size()), nics = static_cast<int>(all.nics.size());
        for (GpuSeen& gpu : host.gpus) {
            number(gpu.numa);
            mark(gpu.bus);
            gpu.index += ranked ? 0 : gpus;
            for (NvlinkSeen& link : gpu.nvlinks) {
                mark(link.target);
                link.hub.clear();  // the switches of the domain are every host's
            }
        }
        for (NicSeen& nic : host.nics) {
            number(nic.numa);
            mark(nic.bus);
            nic.index += nics;
        }
        if (h == 0) {
            all = std::move(host);
            continue;
        }
        const auto append = [](auto& to, auto& from) {
            to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
        };
        append(all.cpus, host.cpus);
        append(all.pci, host.pci);
        append(all.gpus, host.gpus);
        append(all.nics, host.nics);
    }
    return all;
}

}  // namespace fabricast::inline site
