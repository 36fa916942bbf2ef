#pragma once
// What an engine would need is estimated before it is taken: a replay that does not fit is refused with what would.

#include <optional>
#include <string_view>

#include "sim/engines/common/schedule.hpp"
#include "sim/engines/options.hpp"
#include "topologies/fabric.hpp"

namespace fabricast {

struct MemoryNeed {
    std::string_view engine;
    double count = 0;
    std::string_view what;  // that is counted
    double bytes_each = 0;

    double bytes() const { return count * bytes_each; }
};

// Of a replay, with what it replays made ready; of what the schedule itself takes nothing.
MemoryNeed memory_need(const Engine& engine, const Fabric& fabric, const Schedule& schedule);

// Throws TooLarge where a replay needs more than `memory`, or than memory_here().
void check_memory(const Engine& engine, const Fabric& fabric, const Schedule& schedule,
                  std::optional<double> memory = {});

}  // namespace fabricast
