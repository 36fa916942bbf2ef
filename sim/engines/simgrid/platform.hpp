#pragma once
// The fabric as a SimGrid platform: one zone, the links and routes that a schedule uses. The differences between
// SimGrid's releases stand in platform.cpp.

#include <map>
#include <simgrid/s4u.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sim/engines/common/schedule.hpp"

namespace fabricast::simgrid_engine {

// SimGrid's own arguments: plain max-min sharing. CM02 weighs shares by 1/latency, so links have none here; its window
// would cap a flow at gamma / (2 latency); cross traffic would add acknowledgements. (SimGrid manual, "Configuring
// SimGrid": network models.) Times closer than surf/precision are one event.
std::vector<std::string> arguments(bool lazy);

struct Endpoints {
    simgrid::s4u::Host* from;
    simgrid::s4u::Host* to;
};

// Hosts of each connection. SimGrid knows one route from host to host: connections between the same devices on other
// paths get hosts of their own. `latency`: links keep theirs; only where all paths are equally long is sharing fair
// then.
std::vector<Endpoints> make_platform(const Fabric& fabric, const std::vector<Connection>& connections,
                                     bool latency = false);

// Calls `function` when the clock reaches `seconds`.
void at(double seconds, std::function<void()> function);

// Calls `function` with each message that is over.
void on_completion(std::function<void(const simgrid::s4u::Activity&)> function);

}  // namespace fabricast::simgrid_engine
