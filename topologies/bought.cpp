#include "topologies/bought.hpp"

#include <algorithm>

#include "topologies/fabric_generator.hpp"

namespace fabricast::inline topologies {

BoughtSwitches::BoughtSwitches(const Fabric& fabric)
    : fabric_(fabric),
      generator_(fabric.generator()),
      first_switch_(fabric.node_count() * fabric.node_device_count()),
      first_trunk_(fabric.node_count() * fabric.node_link_count()) {}

std::uint32_t BoughtSwitches::count() const { return generator_.bought_switches(); }

std::string BoughtSwitches::name(SwitchId id) const { return generator_.bought_name(static_cast<std::uint32_t>(id)); }

std::optional<SwitchId> BoughtSwitches::find(std::string_view name) const {
    const auto found = generator_.find_bought(name);
    return found ? std::optional(SwitchId{*found}) : std::nullopt;
}

DeviceId BoughtSwitches::drawn_as(SwitchId id) const {
    return DeviceId{first_switch_ + generator_.drawn_as(static_cast<std::uint32_t>(id))};
}

std::string BoughtSwitches::uneven(std::size_t tier) const { return generator_.uneven(tier); }

std::array<std::optional<SwitchId>, 2> BoughtSwitches::ends(LinkId link, std::uint32_t cable) const {
    const LinkEnds drawn = fabric_.ends(link);
    const auto is_switch = [&](DeviceId device) { return fabric_.kind(device) == DeviceKind::fabric_switch; };
    if (index(link) >= first_trunk_ && is_switch(drawn.from) && is_switch(drawn.to)) {
        const auto numbers = generator_.cable_ends(index(link) - first_trunk_, cable);
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
        if (index(drawn.from) < first_switch_ && index(drawn.to) < first_switch_) {
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

}  // namespace fabricast::inline topologies
