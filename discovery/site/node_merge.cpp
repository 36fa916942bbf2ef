#include "discovery/site/node_merge.hpp"

#include <fmt/format.h>

#include <algorithm>

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
        merge_pci();
        merge_gpus();
        merge_nics();
    }

private:
    void differ(const std::string& device, const std::string& what, const SourceLocation& at) {
        const std::string host = into_.host.empty() ? "the node" : into_.host;
        const std::string both = fmt::format("{} ({}, {})", what, to_string(into_.at), to_string(at));
        findings_.push_back({"contradiction", host + "." + device, "", "two files contradict each other: " + both, at});
    }

    void merge_pci() {
        if (into_.pci.empty()) {
            into_.pci = from_.pci;
            return;
        }
        for (const PciSeen& other : from_.pci) {
            const auto own = std::ranges::find(into_.pci, other.bus, &PciSeen::bus);
            if (own == into_.pci.end()) { continue; }
            if (own->vendor == 0) {
                own->vendor = other.vendor;
                own->device = other.device;
            }
            if (other.capable.known()) { own->capable = other.capable; }
            if (!own->link.known()) { own->link = other.link; }
            const bool end = own->kind == PciKind::gpu || own->kind == PciKind::nic;
            const bool unlike = own->link.width > 0 && other.link.width > 0 && own->link.width != other.link.width;
            if (end && unlike) {
                differ(own->bus, fmt::format("{} lanes here, {} there", own->link.width, other.link.width), other.at);
            }
        }
    }

    void merge_gpus() {
        if (into_.gpus.empty()) {
            into_.gpus = from_.gpus;
            return;
        }
        for (const GpuSeen& other : from_.gpus) {
            const auto own = std::ranges::find_if(into_.gpus, [&](const GpuSeen& gpu) {
                return !gpu.bus.empty() && !other.bus.empty() ? gpu.bus == other.bus : gpu.index == other.index;
            });
            if (own == into_.gpus.end()) { continue; }
            if (own->model.empty()) { own->model = other.model; }
            if (own->sm == 0) { own->sm = other.sm; }
            own->inactive = std::max(own->inactive, other.inactive);
            const int mine = own->nvlink_count(), theirs = other.nvlink_count();
            if (own->nvlinks_stated && other.nvlinks_stated && mine != theirs) {
                differ(fmt::format("gpu{}", own->index), fmt::format("{} NVLinks here, {} there", mine, theirs),
                       other.at);
            }
            if (!own->nvlinks_stated && other.nvlinks_stated) {
                own->nvlinks_stated = true;
                // A listing without far ends adds no more than its count.
                if (own->nvlinks.empty()) { own->nvlinks = other.nvlinks; }
            }
            if (own->nvlinks.empty()) { own->nvlinks = other.nvlinks; }
        }
    }

    void merge_nics() {
        if (into_.nics.empty()) {
            into_.nics = from_.nics;
            return;
        }
        for (const NicSeen& other : from_.nics) {
            const auto own = std::ranges::find_if(into_.nics, [&](const NicSeen& nic) {
                return (!nic.bus.empty() && nic.bus == other.bus) || (!nic.name.empty() && nic.name == other.name);
            });
            if (own == into_.nics.end()) { continue; }
            if (own->name.empty()) { own->name = other.name; }
            if (own->megabits == 0) { own->megabits = other.megabits; }
            own->guids.insert(own->guids.end(), other.guids.begin(), other.guids.end());
        }
    }

    NodeSeen& into_;
    const NodeSeen& from_;
    std::vector<Finding>& findings_;
};

}  // namespace

void merge_node(NodeSeen& into, const NodeSeen& from, std::vector<Finding>& findings) {
    NodeMerge(into, from, findings).run();
}

}  // namespace fabricast::inline site
