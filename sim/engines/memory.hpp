#pragma once
// Estimates the memory that an engine would need before it allocates any. A replay that does not fit is refused, and
// the error says what would fit.

#include <optional>
#include <string_view>

#include "sim/engines/common/schedule.hpp"
#include "sim/engines/options.hpp"
#include "topologies/fabric.hpp"

namespace fabricast {

struct MemoryNeed {
    std::string_view engine;
    double count = 0;
    std::string_view what;  // what is counted
    double bytes_each = 0;

    double bytes() const { return count * bytes_each; }
};

// Memory of a replay, with all that the engine builds from the schedule but without the schedule itself.
MemoryNeed memory_need(const Engine& engine, const Fabric& fabric, const Schedule& schedule);

// Throws TooLarge if a replay needs more than `memory` bytes (by default: more than memory_here()).
void check_memory(const Engine& engine, const Fabric& fabric, const Schedule& schedule,
                  std::optional<double> memory = {});

}  // namespace fabricast
