#include "topologies/bought.hpp"

#include <algorithm>

#include "topologies/fabric_tables.hpp"

namespace fabricast {

// The fabric generator, built a second time from the cluster. It is small, because it computes links instead of storing
// them.
struct BoughtSwitches::Generator {
    Switching switching;
    std::uint32_t first_switch = 0, first_trunk = 0;

    // Calls `bought` for generators that may draw several switches as one, `drawn` for those that draw each switch.
    template <class Bought, class Drawn>
    auto visit(Bought&& bought, Drawn&& drawn) const {
        return std::visit(
            [&](const auto& s) {
                if constexpr (requires { s.bought_switches(); }) {
                    return bought(s);
                } else {
                    return drawn(s);
                }
            },
            switching);
    }
};

BoughtSwitches::BoughtSwitches(const Fabric& fabric)
    : fabric_(fabric),
      generator_(new Generator{make_switching(fabric.cluster(), Trays(fabric.cluster().node)),
                               fabric.node_count() * fabric.node_device_count(),
                               fabric.node_count() * fabric.node_link_count()}) {}
BoughtSwitches::~BoughtSwitches() = default;

std::uint32_t BoughtSwitches::count() const {
    return generator_->visit([](const auto& s) { return s.bought_switches(); },
                             [](const auto& s) { return s.switch_count(); });
}

std::string BoughtSwitches::name(SwitchId id) const {
    const auto number = static_cast<std::uint32_t>(id);
    return generator_->visit([&](const auto& s) { return s.bought_name(number); },
                             [&](const auto& s) { return s.switch_name(number); });
}

std::optional<SwitchId> BoughtSwitches::find(std::string_view name) const {
    const auto found = generator_->visit([&](const auto& s) { return s.find_bought(name); },
                                         [&](const auto& s) { return s.find_switch(name); });
    return found ? std::optional(SwitchId{*found}) : std::nullopt;
}

DeviceId BoughtSwitches::drawn_as(SwitchId id) const {
    const auto number = static_cast<std::uint32_t>(id);
    return DeviceId{generator_->first_switch + generator_->visit([&](const auto& s) { return s.drawn_as(number); },
                                                                 [&](const auto&) { return number; })};
}

std::uint32_t BoughtSwitches::plane_of(SwitchId id) const {
    return generator_->visit([&](const auto& s) { return s.plane_of(static_cast<std::uint32_t>(id)); },
                             [](const auto&) { return 0U; });
}

std::string BoughtSwitches::uneven(std::size_t tier) const {
    return generator_->visit([&](const auto& s) { return s.uneven(tier); }, [](const auto&) { return std::string(); });
}

std::array<std::optional<SwitchId>, 2> BoughtSwitches::ends(LinkId link, std::uint32_t cable) const {
    const LinkEnds drawn = fabric_.ends(link);
    std::array<std::optional<SwitchId>, 2> joined;
    const auto is_switch = [&](DeviceId device) { return fabric_.kind(device) == DeviceKind::fabric_switch; };
    if (index(link) >= generator_->first_trunk && is_switch(drawn.from) && is_switch(drawn.to)) {
        const std::uint32_t first = generator_->first_switch;
        const auto numbers =
            generator_->visit([&](const auto& s) { return s.cable_ends(index(link) - generator_->first_trunk, cable); },
                              [&](const auto&) {
                                  return std::array{index(drawn.from) - first, index(drawn.to) - first};
                              });
        return {SwitchId{numbers[0]}, SwitchId{numbers[1]}};
    }
    // Switches with NICs are always drawn one by one, so their drawn name is their own.
    for (std::size_t end = 0; end < 2; ++end) {
        const DeviceId device = end == 0 ? drawn.from : drawn.to;
        joined[end] = is_switch(device) ? find(fabric_.device_name(device)) : std::nullopt;
    }
    return joined;
}

// Cables with at least one end for which `wanted` is true.
template <class Wanted>
std::vector<CablesOfLink> BoughtSwitches::cables_where(Wanted&& wanted) const {
    std::vector<CablesOfLink> found;
    for (std::uint32_t l = 0; l < fabric_.link_count(); ++l) {
        const LinkEnds drawn = fabric_.ends(LinkId{l});
        if (index(drawn.from) < generator_->first_switch && index(drawn.to) < generator_->first_switch) {
            continue;  // a link inside a node
        }
        CablesOfLink cables{LinkId{l}, {}};
        for (std::uint32_t cable = 0; cable < drawn.cables; ++cable) {
            const auto joined = ends(LinkId{l}, cable);
            if ((joined[0] && wanted(*joined[0])) || (joined[1] && wanted(*joined[1]))) {
                cables.cables.push_back(cable);
            }
        }
        if (!cables.cables.empty()) {
            found.push_back(std::move(cables));
        }
    }
    return found;
}

std::vector<CablesOfLink> BoughtSwitches::cables_at(SwitchId id) const {
    return cables_where([&](SwitchId joined) { return joined == id; });
}

std::optional<std::vector<CablesOfLink>> BoughtSwitches::cables_of_plane(std::string_view name) const {
    const auto plane = number_after(name, "plane");
    const std::uint32_t planes = std::visit([](const auto& s) { return s.planes(); }, generator_->switching);
    if (!plane || planes < 2 || *plane >= planes) {
        return std::nullopt;
    }
    return cables_where([&](SwitchId joined) { return plane_of(joined) == *plane; });
}

}  // namespace fabricast
