#pragma once
// Switches and cables as they are bought, whatever a fabric draws as one: with adaptive routing like switches are one
// device, "spine0-15", and all cables to it one link. Each of the sixteen still has its name, "spine3", and its own of
// the cables; so have a dual-plane fabric's planes, "plane1".

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/fabric.hpp"

namespace fabricast {

enum class SwitchId : std::uint32_t {};

// Some cables of a link: whole where `cables` are as many as the link bundles.
struct CablesOfLink {
    LinkId link{};
    std::vector<std::uint32_t> cables;
};

class BoughtSwitches {
public:
    explicit BoughtSwitches(const Fabric& fabric);  // must outlive this
    ~BoughtSwitches();
    BoughtSwitches(const BoughtSwitches&) = delete;
    BoughtSwitches& operator=(const BoughtSwitches&) = delete;

    std::uint32_t count() const;  // ids are 0 .. count - 1
    std::string name(SwitchId id) const;
    std::optional<SwitchId> find(std::string_view name) const;
    DeviceId drawn_as(SwitchId id) const;
    // What is not even in how the cables of a tier are dealt out, in words; empty where all is.
    std::string uneven(std::size_t tier) const;

    // Both directions of all cables at a switch, or at all switches of a plane.
    std::vector<CablesOfLink> cables_at(SwitchId id) const;
    std::optional<std::vector<CablesOfLink>> cables_of_plane(std::string_view name) const;
    // The two switches that a cable of the link joins; none where an end is no switch.
    std::array<std::optional<SwitchId>, 2> ends(LinkId link, std::uint32_t cable) const;

private:
    std::uint32_t plane_of(SwitchId id) const;
    template <class Wanted>
    std::vector<CablesOfLink> cables_where(Wanted&& wanted) const;

    struct Generator;
    const Fabric& fabric_;
    std::unique_ptr<const Generator> generator_;
};

}  // namespace fabricast
