#pragma once
// Turns the bytes that flow classes moved into the load of each link.

#include <functional>
#include <map>
#include <span>
#include <vector>

#include "sim/engines/common/fluid_network.hpp"
#include "sim/engines/common/timeline.hpp"

namespace fabricast::inline engine_common {

struct Usage {
    std::vector<double> class_bytes;  // wire bytes per class, see bytes_of_classes
    // Time in which the class had members, for its own rows, and in which any class used a shared row.
    std::function<Duration(std::uint32_t)> busy_of_class = [](std::uint32_t) { return Duration{}; };
    std::function<Duration(std::uint32_t)> busy_of_shared_row = busy_of_class;
    std::span<const LinkEvent> events = {};
};

// The largest share of its capacity that each link with events ever has; links without events always have all of it.
std::map<LinkId, double> most_shares(std::span<const LinkEvent> events);

// Seconds that the payload alone needs on the busiest links: no choice of a library's constants can be faster.
double least_seconds(const Schedule& schedule, const Timeline& timeline, const Fabric& fabric);

// Writes the classes, and cuts `busiest` down to the links that a Timeline lists, most utilised first.
void finish_accounting(const std::map<LinkClass, ClassUse>& classes, Timeline& timeline);

// Fills `busiest`, `busy` and `classes`. Precondition: makespan is set.
void account(const Network& network, const Usage& usage, Timeline& timeline);

}  // namespace fabricast::inline engine_common
