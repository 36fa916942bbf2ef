#include "topologies/ports.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "topologies/switching.hpp"

namespace fabricast {

std::vector<SwitchPort> ports(const Fabric& fabric, DeviceId fabric_switch) {
    // Cables run both ways: the k-th link out to a device pairs with the k-th link in from it.
    std::vector<std::pair<LinkId, LinkEnds>> out;
    std::map<DeviceId, std::vector<LinkId>> in;
    for (std::uint32_t l = 0; l < fabric.link_count(); ++l) {
        const LinkEnds ends = fabric.ends(LinkId{l});
        if (!ends.resource && ends.from == fabric_switch) {
            out.emplace_back(LinkId{l}, ends);
        } else if (!ends.resource && ends.to == fabric_switch) {
            in[ends.from].push_back(LinkId{l});
        }
    }
    std::vector<SwitchPort> found;
    std::map<DeviceId, std::size_t> paired;
    for (const auto& [link, ends] : out) {
        const LinkId back = in.at(ends.to).at(paired[ends.to]++);
        for (std::uint32_t cable = 0; cable < ends.cables; ++cable) {
            found.push_back({fabric_switch, static_cast<std::uint32_t>(found.size()), link, back, ends.to});
        }
    }
    return found;
}

std::string port_name(const Fabric& fabric, const SwitchPort& port) {
    return fabric.device_name(port.device) + ".port" + std::to_string(port.number);
}

SwitchPort find_port(const Fabric& fabric, std::string_view name) {
    const std::size_t dot = name.rfind('.');
    const auto number = dot == std::string_view::npos ? std::nullopt : number_after(name.substr(dot + 1), "port");
    if (!number) {
        throw ClusterError("'" + std::string(name) + "' is no port; ports are called leaf0.port0");
    }
    const DeviceId device = fabric.device(name.substr(0, dot));
    if (fabric.kind(device) != DeviceKind::fabric_switch) {
        throw ClusterError("'" + std::string(name.substr(0, dot)) + "' is no switch of the fabric");
    }
    const std::vector<SwitchPort> all = ports(fabric, device);
    if (*number >= all.size()) {
        throw ClusterError("'" + fabric.device_name(device) + "' has " + std::to_string(all.size()) +
                           " cables: port0 to port" + std::to_string(all.size() - 1));
    }
    return all[*number];
}

}  // namespace fabricast
