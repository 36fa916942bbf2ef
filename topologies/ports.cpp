#include "topologies/ports.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>

#include "topologies/bought.hpp"
#include "topologies/fabric_generator.hpp"

namespace fabricast::inline topologies {

std::vector<SwitchPort> ports(const Fabric& fabric, std::string_view switch_name) {
    const BoughtSwitches bought(fabric);
    const auto found = bought.find(switch_name);
    if (!found) {
        const DeviceId device = fabric.device(switch_name);  // throws, naming the nearest
        throw ClusterError("'" + fabric.device_name(device) + "' is no switch of the fabric");
    }
    const DeviceId device = bought.drawn_as(*found);
    // Every cable has a link in each direction: the k-th link out to a device belongs to the k-th link in from it.
    std::vector<CablesOfLink> out;
    std::map<DeviceId, std::vector<LinkId>> in;
    for (CablesOfLink& at : bought.cables_at(*found)) {
        const LinkEnds ends = fabric.ends(at.link);
        if (ends.resource) { continue; }
        if (ends.from == device) {
            out.push_back(std::move(at));
        } else if (ends.to == device) {
            in[ends.from].push_back(at.link);
        }
    }
    std::vector<SwitchPort> all;
    std::map<DeviceId, std::size_t> paired;
    for (const CablesOfLink& link : out) {
        const DeviceId peer = fabric.ends(link.link).to;
        const LinkId back = in.at(peer).at(paired[peer]++);
        for (const std::uint32_t cable : link.cables) {
            all.push_back({std::string(switch_name), device, static_cast<std::uint32_t>(all.size()), link.link, back,
                           cable, peer});
        }
    }
    return all;
}

SwitchPort find_port(const Fabric& fabric, std::string_view name) {
    const std::size_t dot = name.rfind('.');
    const auto number = dot == std::string_view::npos ? std::nullopt : number_after(name.substr(dot + 1), "port");
    if (!number) { throw ClusterError("'" + std::string(name) + "' is no port; ports are called leaf0.port0"); }
    const std::string_view of = name.substr(0, dot);
    const std::vector<SwitchPort> all = ports(fabric, of);
    if (*number >= all.size()) {
        throw ClusterError(fmt::format("'{}' has {} cables{}", of, all.size(),
                                       all.empty() ? "" : fmt::format(": port0 to port{}", all.size() - 1)));
    }
    return all[*number];
}

}  // namespace fabricast::inline topologies
