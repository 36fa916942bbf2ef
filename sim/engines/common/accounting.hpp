#pragma once
// From what classes moved to what links carried.

#include <functional>
#include <map>
#include <span>
#include <vector>

#include "sim/engines/common/fluid_network.hpp"
#include "sim/engines/common/timeline.hpp"

namespace fabricast {

// Links that a Timeline lists at most.
inline constexpr std::size_t busiest_links = 16;

struct Usage {
    std::vector<double> class_bytes;                            // see bytes_of_classes
    std::function<Duration(std::uint32_t)> busy_of_class;       // time in which it had members: of its own rows
    std::function<Duration(std::uint32_t)> busy_of_shared_row;  // time in which any class used the row
    std::span<const LinkEvent> events = {};
};

// The most of its capacity that each link with events ever has; the others have all of it.
std::map<LinkId, double> most_shares(std::span<const LinkEvent> events);

// Seconds that the payload alone, without what protocols add to it, needs on the busiest links: no constant of a
// library makes them faster.
double least_seconds(const Schedule& schedule, const Timeline& timeline, const Fabric& fabric);

// Throws std::logic_error where a link has carried more than its capacity in the time: the replay is wrong.
void check_capacity(const Timeline& timeline, const Fabric& fabric);

// Lists the classes, and of `busiest` only the links that a Timeline keeps, most utilised first.
void finish_accounting(const std::map<LinkClass, ClassUse>& classes, Timeline& timeline);

// Fills `busiest`, `busy` and `classes`. Precondition: makespan is set.
void account(const Network& network, const Usage& usage, Timeline& timeline);

}  // namespace fabricast
