#pragma once
// Ports of the fabric's switches by name, "leaf1.port7", as used for cables, in events and in logs. Port p of a
// physical switch is its p-th cable, in the order of link ids.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/fabric.hpp"

namespace fabricast::inline topologies {

struct SwitchPort {
    std::string switch_name;  // "spine3"
    DeviceId device{};        // the fabric's device for the switch, possibly shared with others
    std::uint32_t number = 0;
    LinkId out{}, in{};       // the links of its two directions; the cables of a bundle share them
    std::uint32_t cable = 0;  // index of the cable in these links
    DeviceId peer{};
};

// Searches all links of the fabric: meant for names that people write, not for inner loops. Throws ClusterError if
// there is no such switch, naming the nearest.
std::vector<SwitchPort> ports(const Fabric& fabric, std::string_view switch_name);

// Throws ClusterError if there is no such switch, or it has fewer cables.
SwitchPort find_port(const Fabric& fabric, std::string_view name);

}  // namespace fabricast::inline topologies
