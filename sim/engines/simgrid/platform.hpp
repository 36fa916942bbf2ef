#pragma once
// The fabric as a SimGrid platform: one zone, the links and routes that a schedule uses. It knows SimGrid's releases.

#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "sim/engines/common/schedule.hpp"

namespace fabricast::inline simgrid_engine {

// SimGrid's own arguments: plain max-min sharing. CM02 weights shares by 1/latency, so links have no latency here; its
// window would cap a flow at gamma / (2 latency); cross traffic would add acknowledgements. (SimGrid manual,
// "Configuring SimGrid": network models.) Times that are closer together than surf/precision are one event.
std::vector<std::string> arguments(bool lazy);

struct Endpoints {
    simgrid::s4u::Host* from;
    simgrid::s4u::Host* to;
};

// Returns the hosts of each connection. SimGrid knows only one route between two hosts, so connections between the same
// devices on different paths get hosts of their own. With `latency`, links keep their latency; sharing is then fair
// only if all paths have the same latency.
std::vector<Endpoints> make_platform(const Fabric& fabric, const std::vector<Connection>& connections,
                                     bool latency = false);

// Calls `function` when the clock reaches `seconds`.
void at(double seconds, std::function<void()> function);

// Calls `function` with each message that has completed.
void on_completion(std::function<void(const simgrid::s4u::Activity&)> function);

}  // namespace fabricast::inline simgrid_engine
