#include "discovery/site/pci_placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "models/pcie.hpp"

namespace fabricast::inline site {

namespace {

// The C2C that a GPU has: the two Blackwells of a Grace share it.
std::string c2c_link(const ShapeDraft& draft, const GpuSeen& gpu) {
    const auto same = std::ranges::count_if(draft.gpus, [&](const GpuSeen& other) {
        return other.c2c && draft.cpu_of(other.numa) == draft.cpu_of(gpu.numa);
    });
    return same > 1 ? "nvlink-c2c-half" : "nvlink-c2c";
}

class PciPlacement {
public:
    explicit PciPlacement(ShapeDraft& draft) : draft_(draft) {}

    // A bridge with at least two ways to GPUs and NICs is a switch; others are ports on the way.
    void run() {
        std::map<std::string, std::set<std::string>> ways;  // by bridge: the children that lead to an end
        const auto follow = [&](const std::string& bus) {
            std::string below = bus;
            for (const std::string& bridge : above_in_tree(bus)) {
                ways[bridge].insert(below);
                below = bridge;
            }
        };
        for (const GpuSeen& gpu : draft_.gpus) { follow(gpu.bus); }
        for (const NicSeen& nic : draft_.nics) { follow(nic.bus); }
        // Adapters with two functions are one card in one slot, no switch.
        for (const auto& [bridge, below] : ways) {
            std::set<std::string> slots;
            for (const std::string& bus : below) { slots.insert(bus.substr(0, bus.rfind('.'))); }
            if (slots.size() > 1) { switches_.emplace(bridge, ""); }
        }
        for (const GpuSeen& gpu : draft_.gpus) { name_switches(gpu); }
        for (const NicSeen& nic : draft_.nics) { name_switches(nic); }
        for (std::size_t g = 0; g < draft_.gpus.size(); ++g) {
            const bool nvlink =
                std::ranges::find(draft_.gpus[g].nvlinks, "cpu", &NvlinkSeen::target) != draft_.gpus[g].nvlinks.end();
            if (draft_.gpus[g].c2c) {
                draft_.shape.cables.push_back(
                    {fmt::format("gpu{}", g), draft_.cpu_of(draft_.gpus[g].numa), c2c_link(draft_, draft_.gpus[g])});
            }
            // Joined to its CPU otherwise, it has PCIe only to what shares its switch.
            if ((!draft_.gpus[g].c2c && !nvlink) ||
                (draft_.gpus[g].c2c && !switches_above(draft_.gpus[g].bus).empty())) {
                attach(fmt::format("gpu{}", g), draft_.gpus[g], draft_.shape.gpu.name, draft_.gpus[g].c2c);
            }
        }
        for (std::size_t n = 0; n < draft_.nics.size(); ++n) {
            attach(fmt::format("nic{}", n), draft_.nics[n], draft_.shape.nic.name);
        }
        place_others();
        for (const auto& [link, devices] : silent_) {
            draft_.shape.notes.push_back(fmt::format("guess: {} on {}, for the file states no speed of their slots",
                                                     plural(devices, "device"), link));
        }
    }

private:
    // The bridges above a device, the nearest first.
    std::vector<std::string> above_in_tree(const std::string& bus) const {
        return bridges_above(bus, [this](const std::string& at) { return draft_.pci(at); });
    }

    // Drives, capture cards and memory expanders, where the file states their links.
    void place_others() {
        std::map<std::string, int> count;
        for (const auto& [bus, seen] : draft_.by_bus) {
            if (seen->word.empty() || !seen->link.known()) { continue; }
            const std::string name = fmt::format("{}{}", seen->word, count[seen->word]++);
            const int generation = std::clamp(pcie_generation(seen->link.gigatransfers), 1, 9);
            draft_.shape.devices.emplace_back(name, other_part(draft_.catalog, seen->word, generation));
            draft_.shape.cables.push_back(
                {name, above(bus, seen->numa), pcie_name(generation, std::min(seen->link.width, 16))});
        }
    }

    // Switches are numbered in the order of the GPUs below them; one that has only GPUs joined by C2C below it carries
    // nothing of NCCL's.
    void name_switches(const EndSeen& end) {
        for (const std::string& bridge : switches_above(end.bus)) {
            std::string& name = switches_[bridge];
            if (name.empty()) { name = fmt::format("switch{}", named_++); }
        }
    }

    // The bus ids of the switches above a device, the nearest first.
    std::vector<std::string> switches_above(const std::string& bus) const {
        std::vector<std::string> above = above_in_tree(bus);
        std::erase_if(above, [&](const std::string& bridge) { return !switches_.contains(bridge); });
        return above;
    }

    // The switch above a device, or its CPU.
    std::string above(const std::string& bus, int numa) const {
        const std::vector<std::string> switches = switches_above(bus);
        return switches.empty() ? draft_.cpu_of(numa) : switches_.at(switches.front());
    }

    void attach(const std::string& name, const EndSeen& end, const std::string& part, bool c2c = false) {
        draft_.shape.cables.push_back({name, above(end.bus, end.numa), leg(end.bus, part)});
        const PciSeen* seen = draft_.pci(end.bus);
        if (seen != nullptr && !seen->link.known()) { silent_[draft_.shape.cables.back().link] += 1; }
        for (const std::string& bridge : switches_above(end.bus)) {
            if (!done_.insert(bridge).second) { continue; }
            add_switch(bridge, switches_.at(bridge), seen == nullptr ? PciLink{} : seen->link, end.numa, c2c);
        }
    }

    // The link of an end, no faster than its part: what a virtual machine prints may be anything.
    std::string leg(const std::string& bus, const std::string& part) const {
        const std::string usual =
            draft_.catalog.find(part) == nullptr ? "" : draft_.catalog.find(part)->word_or("host_link", "");
        const PciSeen* seen = draft_.pci(bus);
        if (seen == nullptr || !seen->link.known()) { return usual.empty() ? pcie_name(4, 16) : usual; }
        const int width = std::min(seen->link.width, 16);
        const int generation = std::max(pcie_generation(seen->link.gigatransfers), 1);
        const std::string own = pcie_name(generation, width);
        if (usual.empty() || !draft_.catalog.find(usual)->has("generation") || draft_.shape.ports > 1) { return own; }
        // Eight lanes of the next generation carry as much as sixteen of this one.
        const PcieSpec most = pcie_spec(draft_.catalog.at("link", usual));
        if ((width << generation) <= (most.lanes << most.generation)) { return own; }
        return pcie_name(std::min(generation, most.generation), std::min(width, most.lanes));
    }

    // A switch's way up. What the port states counts only if it is a real port of the host: switches with a synthetic
    // upstream bridge print 5.0 GT/s, or 16.0 GT/s x1, above links that are faster. Where a GPU has C2C, such a port is
    // no data path.
    void add_switch(const std::string& bridge, const std::string& name, const PciLink& below, int numa, bool c2c) {
        const PciSeen& port = *draft_.pci(bridge);
        const bool synthetic = !c2c && (port.link.width < 4 || pcie_generation(port.link.gigatransfers) < 3);
        const bool believed = port.link.known() && (!below.known() || !synthetic || port.link.rate() >= below.rate());
        const PciLink link = believed ? port.link : below;
        const int generation = std::max(pcie_generation(link.gigatransfers), 3);
        if (!believed && port.link.known()) {
            draft_.shape.notes.push_back(fmt::format("{} at {} prints {} GT/s x{}; taken as fast as what is below it",
                                                     name, bridge, port.link.gigatransfers, port.link.width));
        }
        draft_.shape.devices.emplace_back(name, "");
        draft_.shape.cables.push_back(
            {name, above(bridge, numa), pcie_name(generation, link.known() ? std::min(link.width, 16) : 16)});
    }

    ShapeDraft& draft_;
    std::map<std::string, std::string> switches_;  // name by bus id of the bridge
    std::set<std::string> done_;
    std::map<std::string, std::uint64_t> silent_;  // by the link that is taken: devices whose own is not stated
    int named_ = 0;
};

// Whether nvidia-smi has two devices at one of these distances.
bool apart(const NodeSeen& node, const std::string& a, const std::string& b, std::string_view distances) {
    return std::ranges::any_of(node.pairs, [&](const PairSeen& pair) {
        const bool same = (pair.a == a && pair.b == b) || (pair.a == b && pair.b == a);
        return same && has_word(distances, pair.word);
    });
}

}  // namespace

void place_by_tree(ShapeDraft& draft) { PciPlacement(draft).run(); }

// Devices that are PIX or PXB from each other share a switch; a NIC without one hangs on the CPU of a GPU near it.
void place_by_pairs(ShapeDraft& draft) {
    const std::string gpu_link = host_link(draft.catalog, "gpu", draft.shape.gpu.name);
    const std::string nic_link = host_link(draft.catalog, "nic", draft.shape.nic.name);
    std::vector<std::vector<std::string>> groups;
    std::map<std::string, int> numa;
    int named = 0;
    const auto join = [&](const std::string& name) {
        const auto group = std::ranges::find_if(groups, [&](const std::vector<std::string>& others) {
            return std::ranges::any_of(others,
                                       [&](const auto& other) { return apart(draft.node, name, other, "PIX PXB"); });
        });
        (group == groups.end() ? groups.emplace_back() : *group).push_back(name);
    };
    for (std::size_t g = 0; g < draft.gpus.size(); ++g) {
        const std::string name = fmt::format("gpu{}", g);
        numa[name] = draft.gpus[g].numa;
        if (draft.gpus[g].c2c) {
            draft.shape.cables.push_back({name, draft.cpu_of(draft.gpus[g].numa), c2c_link(draft, draft.gpus[g])});
        } else {
            join(name);
        }
    }
    // GPUs joined by C2C are SYS from every NIC: then NICs near each other are one socket's, in order.
    std::vector<int> sockets;
    for (const auto& [domain, socket] : draft.socket_of) {
        const bool taken = std::ranges::any_of(
            draft.gpus, [domain = domain](const GpuSeen& gpu) { return gpu.numa == domain && !gpu.c2c; });
        if (!taken) { sockets.push_back(domain); }
    }
    auto next = sockets.begin();
    for (std::size_t n = 0; n < draft.nics.size(); ++n) {
        const std::string name = fmt::format("nic{}", n);
        const auto near = std::ranges::find_if(
            numa, [&](const auto& other) { return apart(draft.node, name, other.first, "PHB NODE PIX PXB"); });
        numa[name] = near != numa.end() ? near->second : next == sockets.end() ? 0 : *next++;
        join(name);
    }
    for (const std::vector<std::string>& group : groups) {
        std::string up = draft.cpu_of(numa[group.front()]);
        if (group.size() > 1) {
            const std::string name = fmt::format("switch{}", named++);
            const PcieSpec link = pcie_spec(draft.catalog.at("link", gpu_link));
            draft.shape.devices.emplace_back(name, pcie_switch_part(draft.catalog, link.generation));
            draft.shape.cables.push_back({name, up, gpu_link});
            up = name;
        }
        for (const std::string& name : group) {
            draft.shape.cables.push_back({name, up, name.starts_with("gpu") ? gpu_link : nic_link});
        }
    }
    draft.shape.notes.emplace_back("guess: PCIe links run as fast as their devices; nvidia-smi states no speed");
}

}  // namespace fabricast::inline site
