#pragma once
// From what classes moved to what links carried.

#include <functional>
#include <map>
#include <vector>

#include "sim/engines/flow/network.hpp"
#include "sim/timeline.hpp"

namespace fabricast {

// Links that a Timeline lists at most.
inline constexpr std::size_t busiest_links = 16;

struct Usage {
    std::vector<double> class_bytes;                            // see bytes_of_classes
    std::function<Duration(std::uint32_t)> busy_of_class;       // time in which it had members: of its own rows
    std::function<Duration(std::uint32_t)> busy_of_shared_row;  // time in which any class used the row
};

// Lists the classes, and of `busiest` only the links that a Timeline keeps, most utilised first.
void finish_accounting(const std::map<LinkClass, ClassUse>& classes, Timeline& timeline);

// Fills `busiest` and `classes`. Precondition: makespan is set.
void account(const Network& network, const Usage& usage, Timeline& timeline);

}  // namespace fabricast
