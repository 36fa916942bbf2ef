#pragma once
// Ports of the fabric's switches by name, "leaf1.port7": what a cable, an event or a log line speaks of. Port p of a
// switch as it is bought is the p-th cable at it, in the order of link ids.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/fabric.hpp"

namespace fabricast {

struct SwitchPort {
    std::string switch_name;  // "spine3"
    DeviceId device{};        // that draws it, alone or with others
    std::uint32_t number = 0;
    LinkId out{}, in{};       // its two directions; ports of a bundle share them
    std::uint32_t cable = 0;  // of each
    DeviceId peer{};
};

// Walks the fabric's links: for names that people write, not for inner loops. Throws ClusterError where there is no
// such switch, naming the nearest.
std::vector<SwitchPort> ports(const Fabric& fabric, std::string_view switch_name);

std::string port_name(const SwitchPort& port);

// Throws ClusterError where there is no such switch, or it has fewer cables.
SwitchPort find_port(const Fabric& fabric, std::string_view name);

}  // namespace fabricast
