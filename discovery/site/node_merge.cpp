#include "discovery/site/node_merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace fabricast::inline site {

namespace {

class NodeMerge {
public:
    NodeMerge(NodeSeen& into, const NodeSeen& from, std::vector<Finding>& findings)
        : into_(into), from_(from), findings_(findings) {}

    void run() {
        if (into_.host.empty()) { into_.host = from_.host; }
        if (into_.cpus.empty()) { into_.cpus = from_.cpus; }
        if (into_.pairs.empty()) { into_.pairs = from_.pairs; }
        const bool counted = !into_.gpus.empty() && !from_.gpus.empty();
        if (counted && into_.gpus.size() != from_.gpus.size()) {
            differ("gpus", fmt::format("{} GPUs here, {} there", into_.gpus.size(), from_.gpus.size()), from_.at);
        }
        merge_each(into_.pci, from_.pci, same_slot, [&](PciSeen& a, const PciSeen& b) { merge_pci(a, b); });
        merge_each(into_.gpus, from_.gpus, same_gpu, [&](GpuSeen& a, const GpuSeen& b) { merge_gpu(a, b); });
        merge_each(into_.nics, from_.nics, same_nic, merge_nic);
    }

private:
    void differ(const std::string& device, const std::string& what, const SourceLocation& at) {
        const std::string host = into_.host.empty() ? "the node" : into_.host;
        const std::string both = fmt::format("{} ({}, {})", what, to_string(into_.at), to_string(at));
        findings_.push_back({"contradiction", host + "." + device, "", "two files contradict each other: " + both, at});
    }

    // Merges each device with the same one of the other file; where nothing is known yet, all are taken.
    template <class Seen, class Same, class Merge>
    static void merge_each(std::vector<Seen>& into, const std::vector<Seen>& from, const Same& same,
                           const Merge& merge) {
        if (into.empty()) {
            into = from;
            return;
        }
        for (const Seen& other : from) {
            const auto own = std::ranges::find_if(into, [&](const Seen& seen) { return same(seen, other); });
            if (own != into.end()) { merge(*own, other); }
        }
    }

    static bool same_slot(const PciSeen& a, const PciSeen& b) { return a.bus == b.bus; }
    static bool same_gpu(const GpuSeen& a, const GpuSeen& b) {
        return !a.bus.empty() && !b.bus.empty() ? a.bus == b.bus : a.index == b.index;
    }
    static bool same_nic(const NicSeen& a, const NicSeen& b) {
        return (!a.bus.empty() && a.bus == b.bus) || (!a.name.empty() && a.name == b.name);
    }

    void merge_pci(PciSeen& own, const PciSeen& other) {
        if (own.vendor == 0) {
            own.vendor = other.vendor;
            own.device = other.device;
        }
        if (other.capable.known()) { own.capable = other.capable; }
        if (!own.link.known()) { own.link = other.link; }
        const bool end = own.kind == PciKind::gpu || own.kind == PciKind::nic;
        if (end && own.link.width > 0 && other.link.width > 0 && own.link.width != other.link.width) {
            differ(own.bus, fmt::format("{} lanes here, {} there", own.link.width, other.link.width), other.at);
        }
    }

    void merge_gpu(GpuSeen& own, const GpuSeen& other) {
        if (own.model.empty()) { own.model = other.model; }
        if (own.sm == 0) { own.sm = other.sm; }
        own.inactive = std::max(own.inactive, other.inactive);
        const int mine = own.nvlink_count(), theirs = other.nvlink_count();
        if (own.nvlinks_stated && other.nvlinks_stated && mine != theirs) {
            differ(fmt::format("gpu{}", own.index), fmt::format("{} NVLinks here, {} there", mine, theirs), other.at);
        }
        own.nvlinks_stated = own.nvlinks_stated || other.nvlinks_stated;
        // A listing without far ends adds no more than its count.
        if (own.nvlinks.empty()) { own.nvlinks = other.nvlinks; }
    }

    static void merge_nic(NicSeen& own, const NicSeen& other) {
        if (own.name.empty()) { own.name = other.name; }
        if (own.megabits == 0) { own.megabits = other.megabits; }
        own.guids.insert(own.guids.end(), other.guids.begin(), other.guids.end());
    }

    NodeSeen& into_;
    const NodeSeen& from_;
    std::vector<Finding>& findings_;
};

}  // namespace

void merge_node(NodeSeen& into, const NodeSeen& from, std::vector<Finding>& findings) {
    NodeMerge(into, from, findings).run();
}

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
