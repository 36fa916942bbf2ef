#pragma once
// The physical ("bought") switches and cables of a fabric. With adaptive routing a Fabric models ("draws") switches
// that are equivalent as one device, such as "spine0-15", and all cables between two such devices as one link. This
// module names each physical switch, "spine3", and finds its cables, and those of the planes of a dual-plane fabric,
// "plane1".

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/fabric.hpp"

namespace fabricast::inline topologies {

enum class SwitchId : std::uint32_t {};

// Some of the cables that a link bundles, by index; all of them if there are as many as LinkEnds::cables.
struct CablesOfLink {
    LinkId link{};
    std::vector<std::uint32_t> cables;
};

class BoughtSwitches {
public:
    explicit BoughtSwitches(const Fabric& fabric);  // must outlive this

    std::uint32_t count() const;  // ids are 0 .. count - 1
    std::string name(SwitchId id) const;
    std::optional<SwitchId> find(std::string_view name) const;
    DeviceId drawn_as(SwitchId id) const;
    // In words, if the cables of a tier are not spread evenly over its switches; else empty.
    std::string uneven(std::size_t tier) const;

    // Both directions of all cables at a switch, or at all switches of a plane.
    std::vector<CablesOfLink> cables_at(SwitchId id) const;
    std::optional<std::vector<CablesOfLink>> cables_of_plane(std::string_view name) const;
    // The switches at the two ends of a cable of the link; nullopt for an end that is not a switch.
    std::array<std::optional<SwitchId>, 2> ends(LinkId link, std::uint32_t cable) const;

private:
    std::vector<CablesOfLink> cables_where(const std::function<bool(SwitchId)>& wanted) const;

    const Fabric& fabric_;
    const FabricGenerator& generator_;
    std::uint32_t first_switch_, first_trunk_;
};

}  // namespace fabricast::inline topologies
