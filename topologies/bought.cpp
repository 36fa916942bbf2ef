#include "topologies/bought.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "topologies/fabric_generator.hpp"

namespace fabricast::inline topologies {

BoughtSwitches::BoughtSwitches(const Fabric& fabric) : fabric_(fabric), generator_(fabric.generator()) {}

std::uint32_t BoughtSwitches::count() const { return generator_.bought_switches(); }

std::string BoughtSwitches::name(SwitchId id) const { return generator_.bought_name(static_cast<std::uint32_t>(id)); }

std::optional<SwitchId> BoughtSwitches::find(std::string_view name) const {
    const auto found = generator_.find_bought(name);
    return found ? std::optional(SwitchId{*found}) : std::nullopt;
}

DeviceId BoughtSwitches::drawn_as(SwitchId id) const {
    return DeviceId{fabric_.first_switch() + generator_.drawn_as(static_cast<std::uint32_t>(id))};
}

std::array<std::optional<SwitchId>, 2> BoughtSwitches::ends(LinkId link, std::uint32_t cable) const {
    const LinkEnds drawn = fabric_.ends(link);
    const auto is_switch = [&](DeviceId device) { return fabric_.kind(device) == DeviceKind::fabric_switch; };
    if (index(link) >= fabric_.first_trunk() && is_switch(drawn.from) && is_switch(drawn.to)) {
        const auto numbers = generator_.cable_ends(index(link) - fabric_.first_trunk(), cable);
        return {SwitchId{numbers[0]}, SwitchId{numbers[1]}};
    }
    // Switches with NICs are always drawn one by one, so their drawn name is their own.
    const auto own = [&](DeviceId device) {
        return is_switch(device) ? find(fabric_.device_name(device)) : std::nullopt;
    };
    return {own(drawn.from), own(drawn.to)};
}

// Cables with at least one end for which `wanted` is true.
std::vector<CablesOfLink> BoughtSwitches::cables_where(const std::function<bool(SwitchId)>& wanted) const {
    std::vector<CablesOfLink> found;
    for (std::uint32_t l = 0; l < fabric_.link_count(); ++l) {
        const LinkEnds drawn = fabric_.ends(LinkId{l});
        if (index(drawn.from) < fabric_.first_switch() && index(drawn.to) < fabric_.first_switch()) {
            continue;  // a link inside a node
        }
        CablesOfLink cables{LinkId{l}, {}};
        for (std::uint32_t cable = 0; cable < drawn.cables; ++cable) {
            const auto joined = ends(LinkId{l}, cable);
            if ((joined[0] && wanted(*joined[0])) || (joined[1] && wanted(*joined[1]))) {
                cables.cables.push_back(cable);
            }
        }
        if (!cables.cables.empty()) { found.push_back(std::move(cables)); }
    }
    return found;
}

std::vector<CablesOfLink> BoughtSwitches::cables_at(SwitchId id) const {
    return cables_where([&](SwitchId joined) { return joined == id; });
}

std::optional<std::vector<CablesOfLink>> BoughtSwitches::cables_of_plane(std::string_view name) const {
    const auto plane = number_after(name, "plane");
    const std::uint32_t planes = generator_.planes();
    if (!plane || planes < 2 || *plane >= planes) { return std::nullopt; }
    return cables_where(
        [&](SwitchId joined) { return generator_.plane_of(static_cast<std::uint32_t>(joined)) == *plane; });
}

std::vector<SwitchPort> ports(const Fabric& fabric, std::string_view switch_name) {
    const BoughtSwitches bought(fabric);
    const auto found = bought.find(switch_name);
    if (!found) {
        const DeviceId device = fabric.device(switch_name);  // throws, naming the nearest
        throw ClusterError("'" + fabric.device_name(device) + "' is not a switch of the fabric");
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
    if (!number) { throw ClusterError("'" + std::string(name) + "' is not a port; ports are called leaf0.port0"); }
    const std::string_view of = name.substr(0, dot);
    const std::vector<SwitchPort> all = ports(fabric, of);
    if (*number >= all.size()) {
        throw ClusterError("'{}' has {} cables{}", of, all.size(),
                           all.empty() ? "" : fmt::format(": port0 to port{}", all.size() - 1));
    }
    return all[*number];
}

}  // namespace fabricast::inline topologies
