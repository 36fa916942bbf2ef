#include "discovery/site/mended.hpp"

#include <algorithm>
#include <map>

#include "discovery/site/node_merge.hpp"
#include "discovery/site/rails.hpp"

namespace fabricast::inline site {

namespace {

// The cables of a node that its peers have and it lacks. Returns how many there are.
std::size_t add_missing(Wiring& out, std::uint32_t node, const Leaves& unit) {
    std::size_t added = 0;
    for (std::uint32_t nic = 0; nic < unit.size(); ++nic) {
        if (out.leaf(node, nic) != no_index) { continue; }
        const auto like = std::ranges::find_if(out.bundles, [&](const Bundle& bundle) {
            const Placed& end = out.placed[bundle.a];
            return bundle.b == unit[nic] && end.in() && end.nic == nic;
        });
        if (like == out.bundles.end()) { continue; }
        Bundle made = *like;
        made.a = static_cast<std::uint32_t>(out.placed.size());  // an adapter that no file knows
        made.trust = Trust::guess;
        out.placed.push_back({node, nic});
        out.bundles.push_back(std::move(made));
        ++added;
    }
    return added;
}

void mend_nvlinks(NodeSeen& node) {
    const GpuSeen best = *std::ranges::max_element(node.gpus, {}, &GpuSeen::nvlink_count);
    for (GpuSeen& gpu : node.gpus) {
        const bool fewer = best.nvlinks.size() == 1 && gpu.nvlink_count() < best.nvlink_count();
        if (!fewer && !gpu.nvlinks.empty()) { continue; }
        gpu.nvlinks = best.nvlinks;
        gpu.nvlinks_stated = best.nvlinks_stated;
    }
}

void mend_width(NodeSeen& node) {
    for (const PciKind kind : {PciKind::nic, PciKind::gpu}) {
        PciLink best;
        for (const PciSeen& pci : node.pci) {
            for (const PciLink& link : {pci.link, pci.capable}) {
                if (pci.kind == kind && link.rate() > best.rate()) { best = link; }
            }
        }
        for (PciSeen& pci : node.pci) {
            if (pci.kind == kind && pci.link.known()) { pci.link = best; }
        }
    }
}

// Moves an adapter below the CPU that has fewer of them.
void mend_socket(NodeSeen& node, const Finding& finding) {
    std::map<int, int> count;
    for (const NicSeen& nic : node.nics) { ++count[nic.numa]; }
    for (NicSeen& nic : node.nics) {
        if (finding.device.find("(" + nic.name + ")") == std::string::npos) { continue; }
        for (const CpuSeen& cpu : node.cpus) {
            if (cpu.numa == nic.numa || count[cpu.numa] >= count[nic.numa]) { continue; }
            nic.numa = cpu.numa;
            for (PciSeen& pci : node.pci) {
                if (pci.bus != nic.bus) { continue; }
                pci.numa = cpu.numa;
                pci.parent.clear();
            }
            return;
        }
    }
}

}  // namespace

Mended mended(const Wiring& wiring) {
    Mended made{wiring, 0, 0};
    const Rails rails(wiring.leaf_of, wiring.labels.size());
    Wiring& out = made.wiring;
    for (std::uint32_t node = rails.nodes(); node > 1; --node) {
        if (rails.whole(node - 1) || rails.unit_of(node - 1) != nullptr) { break; }
        out.hosts.pop_back();
        ++made.left_out;
    }
    std::erase_if(out.bundles, [&](const Bundle& bundle) {
        const Placed& end = out.placed[bundle.a];
        return end.in() && end.node >= out.hosts.size();
    });
    for (std::uint32_t node = 0; node < std::min<std::size_t>(out.hosts.size(), rails.nodes()); ++node) {
        const Leaves* unit = rails.whole(node) ? nullptr : rails.unit_of(node);
        if (unit != nullptr) { made.cables += add_missing(out, node, *unit); }
    }
    return made;
}

const NodeSeen* node_of(const Site& site, const std::string& device) {
    const std::string name = device.substr(0, device.rfind('.'));
    for (const SiteHost& host : site.hosts) {
        if (host.name == name && host.inside) { return &*host.inside; }
    }
    for (std::size_t i = 0; i < site.unnamed.size(); ++i) {
        if (name == unnamed_text(site, i)) { return &site.unnamed[i]; }
    }
    return nullptr;
}

NodeSeen mended_node(NodeSeen node, const Finding& finding) {
    if (finding.check == "nvlinks") { mend_nvlinks(node); }
    if (finding.check == "width") { mend_width(node); }
    if (finding.check == "socket") { mend_socket(node, finding); }
    return node;
}

std::optional<NodeSeen> with_fact(NodeSeen node, const Finding& finding, double value) {
    const std::string device = finding.device.substr(finding.device.rfind('.') + 1);
    std::string bus;
    for (GpuSeen& gpu : node.gpus) {
        if (end_text(gpu) != device) { continue; }
        bus = gpu.bus;
        if (finding.fact != Fact::nvlinks) { continue; }
        // In a mesh a count does not say which of its peers a GPU reaches.
        if (gpu.nvlinks.empty() || gpu.nvlinks.front().target != "nvswitch") { return std::nullopt; }
        gpu.nvlinks = {{"nvswitch", static_cast<int>(value)}};
        if (value == 0) { gpu.nvlinks.clear(); }
        return node;
    }
    for (const NicSeen& nic : node.nics) {
        if (end_text(nic) == device) { bus = nic.bus; }
    }
    const auto slot = std::ranges::find(node.pci, bus, &PciSeen::bus);
    if (slot == node.pci.end()) { return std::nullopt; }
    slot->link.width = static_cast<int>(value);
    return node;
}

}  // namespace fabricast::inline site
