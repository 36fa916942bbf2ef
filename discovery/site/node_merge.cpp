#include "discovery/site/node_merge.hpp"

#include <fmt/format.h>

#include <cstdlib>
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
        const bool counted = !into_.gpus.empty() && !from_.gpus.empty();
        if (counted && into_.gpus.size() != from_.gpus.size()) {
            differ("gpus", fmt::format("{} GPUs here, {} there", into_.gpus.size(), from_.gpus.size()), from_.at);
        }
        merge_each(into_.pci, from_.pci, same_slot, [&](PciSeen& a, const PciSeen& b) { merge_pci(a, b); });
        merge_each(into_.gpus, from_.gpus, same_gpu, [&](GpuSeen& a, const GpuSeen& b) { merge_gpu(a, b); });
        merge_each(into_.nics, from_.nics, same_nic, [&](NicSeen& a, const NicSeen& b) { merge_nic(a, b); });
        check_pairs(into_.pairs.empty() ? from_ : into_);
        if (into_.pairs.empty()) { into_.pairs = from_.pairs; }
    }

private:
    void differ(const std::string& device, const std::string& what, const SourceLocation& at, Fact fact = Fact::none,
                double one = 0, double other = 0) {
        const std::string host = into_.host.empty() ? "the node" : into_.host;
        const std::string both = fmt::format("{} ({}, {})", what, to_string(into_.at), to_string(at));
        findings_.push_back({"contradiction", host + "." + device, "", "two files contradict each other: " + both, at});
        Finding& made = findings_.back();
        made.fact = fact;
        made.said = {std::max(one, other), std::min(one, other)};
        made.share = made.said.first > 0 ? made.said.second / made.said.first : 1;
    }

    // What somebody wrote to steer a library is meant to differ from the hardware.
    bool facts() const { return into_.trust == Trust::fact && from_.trust == Trust::fact; }

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

    std::string end_at(const std::string& bus) const {
        for (const NodeSeen* node : {static_cast<const NodeSeen*>(&into_), &from_}) {
            for (const GpuSeen& gpu : node->gpus) {
                if (gpu.bus == bus) { return end_text(gpu); }
            }
            for (const NicSeen& nic : node->nics) {
                if (nic.bus == bus) { return end_text(nic); }
            }
        }
        return {};
    }

    // A slot that runs narrower than another file says it is: NCCL states what the device could do, lspci what it does.
    void merge_pci(PciSeen& own, const PciSeen& other) {
        if (own.vendor == 0) {
            own.vendor = other.vendor;
            own.device = other.device;
        }
        if (other.capable.known()) { own.capable = other.capable; }
        if (!own.link.known()) { own.link = other.link; }
        const int mine = own.link.width, theirs = other.link.width;
        const std::string end = mine > 0 && theirs > 0 && mine != theirs ? end_at(own.bus) : "";
        if (end.empty()) { return; }
        differ(end, fmt::format("{} lanes at {} here, {} there", mine, own.bus, theirs), other.at, Fact::lanes, mine,
               theirs);
        own.link.width = std::min(mine, theirs);
    }

    void merge_end(EndSeen& own, const EndSeen& other, const std::string& name) {
        if (own.bus.empty()) { own.bus = other.bus; }
        if (facts() && own.numa >= 0 && other.numa >= 0 && own.numa != other.numa) {
            differ(name, fmt::format("NUMA node {} here, {} there", own.numa, other.numa), other.at);
        }
        if (own.numa < 0) { own.numa = other.numa; }
    }

    void merge_gpu(GpuSeen& own, const GpuSeen& other) {
        merge_end(own, other, end_text(own));
        if (own.model.empty()) { own.model = other.model; }
        if (own.sm == 0) { own.sm = other.sm; }
        own.inactive = std::max(own.inactive, other.inactive);
        const int mine = own.nvlink_count(), theirs = other.nvlink_count();
        // A matrix without NVLinks may be one of PCIe alone (`topo -mp`).
        const auto speaks = [](const GpuSeen& gpu) { return gpu.nvlinks_stated || !gpu.nvlinks.empty(); };
        if (speaks(own) && speaks(other) && mine != theirs) {
            differ(end_text(own), fmt::format("{} NVLinks here, {} there", mine, theirs), other.at, Fact::nvlinks, mine,
                   theirs);
        }
        // A listing without far ends adds no more than its count, cells of a matrix no more than their widest.
        const bool better = other.nvlinks_stated && !own.nvlinks_stated && !other.nvlinks.empty();
        if (own.nvlinks.empty() && other.nvlinks.empty()) {
            own.nvlinks_stated = own.nvlinks_stated || other.nvlinks_stated;
        } else if (own.nvlinks.empty() || better) {
            own.nvlinks = other.nvlinks;
            own.nvlinks_stated = other.nvlinks_stated;
        }
    }

    void merge_nic(NicSeen& own, const NicSeen& other) {
        merge_end(own, other, end_text(own));
        if (own.name.empty()) { own.name = other.name; }
        if (own.megabits == 0) { own.megabits = other.megabits; }
        if (other.megabits > 0 && unlike_rates(own.megabits, other.megabits)) {
            differ(end_text(own), fmt::format("{} Gb/s here, {} there", own.megabits / 1000, other.megabits / 1000),
                   other.at, Fact::rate, static_cast<double>(own.megabits), static_cast<double>(other.megabits));
        }
        own.guids.insert(own.guids.end(), other.guids.begin(), other.guids.end());
    }

    // nvidia-smi's distances against the PCI tree: what is SYS from each other cannot be below one switch, and what is
    // PIX or PXB cannot be on two sockets.
    void check_pairs(const NodeSeen& matrix) {
        if (!facts() || into_.pci.empty()) { return; }
        for (const PairSeen& pair : matrix.pairs) {
            const bool near = pair.word == "PIX" || pair.word == "PXB";
            const PciSeen *a = slot(matrix, pair.a), *b = slot(matrix, pair.b);
            if ((!near && pair.word != "SYS") || a == nullptr || b == nullptr || a == b) { continue; }
            const bool one_switch = share_bridge(*a, *b);
            const bool two_sockets = a->numa >= 0 && b->numa >= 0 && a->numa != b->numa;
            if (near ? !one_switch && two_sockets : one_switch) {
                differ(end_at(a->bus),
                       fmt::format("{} from {} here, {} there", pair.word, end_at(b->bus),
                                   one_switch ? "below one switch" : "on another socket"),
                       pair.at);
            }
        }
    }

    // The slot of "gpu3" or "nic0" in a matrix's own numbers.
    const PciSeen* slot(const NodeSeen& matrix, const std::string& name) const {
        const int index = std::atoi(name.c_str() + 3);
        const auto bus_of = [&](const auto& ends, const auto& own, const auto& same) -> std::string {
            const auto end = std::ranges::find_if(ends, [&](const auto& seen) { return seen.index == index; });
            if (end == ends.end()) { return {}; }
            const auto known = std::ranges::find_if(own, [&](const auto& seen) { return same(seen, *end); });
            return known == own.end() ? std::string() : known->bus;
        };
        return pci_at(name.starts_with("gpu") ? bus_of(matrix.gpus, into_.gpus, same_gpu)
                                              : bus_of(matrix.nics, into_.nics, same_nic));
    }

    bool share_bridge(const PciSeen& a, const PciSeen& b) const {
        const auto above = [this](const PciSeen& device) {
            return bridges_above(device.bus, [this](const std::string& bus) { return pci_at(bus); });
        };
        const std::vector<std::string> of_a = above(a);
        return std::ranges::any_of(above(b),
                                   [&](const std::string& bus) { return std::ranges::find(of_a, bus) != of_a.end(); });
    }

    const PciSeen* pci_at(const std::string& bus) const {
        const auto found = std::ranges::find(into_.pci, bus, &PciSeen::bus);
        return found == into_.pci.end() ? nullptr : &*found;
    }

    NodeSeen& into_;
    const NodeSeen& from_;
    std::vector<Finding>& findings_;
};

}  // namespace

std::string end_text(const GpuSeen& gpu) { return fmt::format("gpu{}", std::max(gpu.index, 0)); }
std::string end_text(const NicSeen& nic) {
    return nic.name.empty() ? fmt::format("nic{}", std::max(nic.index, 0)) : nic.name;
}

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
