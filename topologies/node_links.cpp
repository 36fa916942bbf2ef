#include "topologies/node_links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "models/link_part.hpp"
#include "models/pcie.hpp"

namespace fabricast::inline topologies {

namespace {

const Part* part_of(const NodeTemplate& node, const std::string& device, const Catalog& catalog) {
    if (device.starts_with("gpu")) { return catalog.find(node.gpu.name); }
    const auto listed = std::ranges::find(node.devices, device, &NodeDevice::name);
    return listed == node.devices.end() ? nullptr : catalog.find(listed->part);
}

// The PCIe link of a GPU, or of a NIC with all its ports; nullopt for other devices and parts without `host_link`.
std::optional<LinkSpec> host_link(const NodeTemplate& node, const Part* part, const Catalog& catalog) {
    const bool known = part != nullptr && (part->kind == "gpu" || part->kind == "nic");
    const std::string name = known ? part->word_or("host_link", "") : "";
    if (name.empty() || link_family(catalog.at("link", name)) != LinkFamily::pcie) { return std::nullopt; }
    return bundle(link_spec(catalog.at("link", name)), part->kind == "nic" ? node.nic_ports : 1);
}

bool faster(const LinkSpec& link, const LinkSpec& than) {
    return link.rate.bytes_per_second() > than.rate.bytes_per_second() * (1 + 1e-9);
}

std::string bundle_name(const NodeCable& cable) {
    return cable.count > 1 ? fmt::format("{} x {}", cable.count, cable.link.name) : cable.link.name;
}

class LinkCheck {
public:
    LinkCheck(const NodeTemplate& node, const Catalog& catalog) : node_(node), catalog_(catalog) {}

    void run() {
        for (const NodeCable& cable : node_.cables) {
            for (const bool first : {true, false}) {
                const std::string& device = first ? cable.a : cable.b;
                if (const Part* part = part_of(node_, device, catalog_)) {
                    check(cable, device, first ? cable.b : cable.a, *part);
                }
            }
        }
    }

private:
    [[noreturn]] void fail(const NodeCable& cable, const std::string& device, const Part& part,
                           const std::string& has) const {
        throw CatalogError("cable {} to {} ({}): {} is a {}, which has {}", cable.a, cable.b, bundle_name(cable),
                           device, part.name, has);
    }

    void check(const NodeCable& cable, const std::string& device, const std::string& other, const Part& part) {
        if (cable.link.family == LinkFamily::pcie) {
            const auto own = host_link(node_, &part, catalog_);
            if (own && faster(cable.link, *own)) { fail(cable, device, part, own->name); }
            if (part.kind == "pcie-switch") { check_switch(cable, device, part); }
        } else if (cable.link.family == LinkFamily::nvlink && part.kind == "gpu" && !other.starts_with("nic")) {
            check_nvlink(cable, device, part);  // NVLink to a NIC represents ports of the NVSwitches
        }
    }

    void check_switch(const NodeCable& cable, const std::string& device, const Part& part) {
        const PcieSpec link = pcie_spec(catalog_.at("link", cable.link.name));
        const double generation = part.number("generation", "");
        const double lanes = part.number("lanes", "");
        used_[device] += link.lanes * cable.count;
        if (link.generation > generation) {
            fail(cable, device, part, fmt::format("generation {}", static_cast<int>(generation)));
        }
        if (used_[device] > lanes) {
            fail(cable, device, part,
                 fmt::format("{} lanes, fewer than its {} up to this cable", static_cast<int>(lanes), used_[device]));
        }
    }

    // A GPU part without `nvlink` accepts any NVLink bridge.
    void check_nvlink(const NodeCable& cable, const std::string& device, const Part& part) {
        const std::string name = part.word_or("nvlink", "");
        if (name.empty()) { return; }
        const LinkSpec own = link_spec(catalog_.at("link", name));
        const int links = node_.gpu.nvlinks;
        used_[device] += cable.count;
        if (faster(cable.link, own) || used_[device] > links) {
            const std::string fewer = fmt::format(", fewer than its {} up to this cable", used_[device]);
            fail(cable, device, part, fmt::format("{} x {}{}", links, own.name, used_[device] > links ? fewer : ""));
        }
    }

    const NodeTemplate& node_;
    const Catalog& catalog_;
    std::map<std::string, int> used_;  // by device: lanes of a switch, NVLinks of a GPU
};

}  // namespace

void check_node_links(const NodeTemplate& node, const Catalog& catalog) { LinkCheck(node, catalog).run(); }

void slow_to_devices(NodeTemplate& node, const Catalog& catalog) {
    const Part* gpu = catalog.find(node.gpu.name);
    for (NodeCable& cable : node.cables) {
        // A GPU with fewer of the same links than the template's, as export versions have, uses those that it has.
        const bool to_switches = cable.a.starts_with("gpu") && cable.b.starts_with("nvswitch");
        if (to_switches && gpu != nullptr && gpu->word_or("nvlink", "") == cable.link.name) {
            cable.count = std::min(cable.count, node.gpu.nvlinks);
        }
        for (const std::string* device : {&cable.a, &cable.b}) {
            const auto own = cable.link.family == LinkFamily::pcie
                                 ? host_link(node, part_of(node, *device, catalog), catalog)
                                 : std::nullopt;
            if (own && faster(cable.link, *own)) {
                cable.duplex_capacity *= goodput(*own) / goodput(cable.link);
                cable.link = *own;
            }
        }
    }
}

}  // namespace fabricast::inline topologies
