#pragma once
// What is bought for a cluster: the bill of materials in counts, to which higher rooms add parts and prices, and each
// switch and port by name.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/fabric.hpp"

namespace fabricast::inline topologies {

struct SwitchCount {
    std::string tier;  // "leaf", "spine", "core", "router"
    std::uint64_t switches = 0;
    std::uint64_t ports = 0;  // of all switches together, at the link's rate; 0: unknown (explicit graph)
    std::uint64_t used = 0;   // ports with a cable
    std::optional<std::uint64_t> left() const {  // of known ports
        return ports == 0 ? std::nullopt : std::optional(ports > used ? ports - used : 0);
    }
};

// How far a cable goes; the layout of the data hall gives its length in metres.
enum class CableRun : std::uint8_t { node, trunk, core };

struct CableCount {
    std::string between;  // "node-leaf", "leaf-spine", "group"
    CableRun run = CableRun::node;
    std::uint64_t cables = 0;
};

struct Bill {
    std::uint64_t nodes = 0, gpus = 0, nics = 0;
    std::vector<SwitchCount> switches;  // from the leaves up
    std::vector<CableCount> cables;     // from the nodes up
    std::uint64_t switch_count() const;
    std::uint64_t cable_count() const;
    std::optional<std::uint64_t> ports_left() const;  // of known ports
};

// Throws ClusterError if the leaves have too few free ports for the stated management ports.
Bill bill_of(const Fabric& fabric);

// The physical ("bought") switches and cables of a fabric. With adaptive routing a Fabric models ("draws") switches
// that are equivalent as one device, such as "spine0-15", and all cables between two such devices as one link. This
// module names each physical switch, "spine3", and finds its cables, and those of the planes of a dual-plane fabric,
// "plane1".
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

    // Both directions of all cables at a switch, or at all switches of a plane.
    std::vector<CablesOfLink> cables_at(SwitchId id) const;
    std::optional<std::vector<CablesOfLink>> cables_of_plane(std::string_view name) const;
    // The switches at the two ends of a cable of the link; nullopt for an end that is not a switch.
    std::array<std::optional<SwitchId>, 2> ends(LinkId link, std::uint32_t cable) const;

private:
    std::vector<CablesOfLink> cables_where(const std::function<bool(SwitchId)>& wanted) const;

    const Fabric& fabric_;
    const FabricGenerator& generator_;
};

// A port of a switch by name, "leaf1.port7", as used for cables, in events and in logs. Port p of a physical switch is
// its p-th cable, in the order of link ids.
struct SwitchPort {
    DeviceId device{};        // the fabric's device for the switch, possibly shared with others
    LinkId out{}, in{};       // the links of its two directions; the cables of a bundle share them
    std::uint32_t cable = 0;  // index of the cable in these links
};

// Searches all links of the fabric: meant for names that people write, not for inner loops. Throws ClusterError if
// there is no such switch, naming the nearest.
std::vector<SwitchPort> ports(const Fabric& fabric, std::string_view switch_name);

// Throws ClusterError if there is no such switch, or it has fewer cables.
SwitchPort find_port(const Fabric& fabric, std::string_view name);

}  // namespace fabricast::inline topologies
