#pragma once
// Ports of the fabric's switches by name, "leaf1.port7": what a cable, an event or a log line speaks of. Port p of a
// switch is the p-th cable at it, in the order of link ids; the cables of a bundle are ports of one link.

#include <string>
#include <string_view>
#include <vector>

#include "topologies/fabric.hpp"

namespace fabricast {

struct SwitchPort {
    DeviceId device{};  // the switch
    std::uint32_t number = 0;
    LinkId out{}, in{};  // its two directions; all ports of a bundle have the same
    DeviceId peer{};
};

// Walks the fabric's links once: for names that people write, not for inner loops.
std::vector<SwitchPort> ports(const Fabric& fabric, DeviceId fabric_switch);

std::string port_name(const Fabric& fabric, const SwitchPort& port);

// Throws ClusterError where there is no such switch, or it has fewer cables.
SwitchPort find_port(const Fabric& fabric, std::string_view name);

}  // namespace fabricast
