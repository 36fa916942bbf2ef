#pragma once
// What an engine would need is estimated before it is taken: a replay that does not fit is refused with what would.

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "sim/engines/engine.hpp"
#include "topologies/fabric.hpp"

namespace fabricast {

// The replay needs more memory than there is, or its engine cannot count so far.
struct TooLarge : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Bytes that this process may take: the machine's memory, or less where the user (`ulimit -v`) or a container has set a
// limit.
double memory_here();

// The least that a control group of this process allows, of version 2 or 1; infinite where none does. `root` holds
// proc and sys.
double cgroup_limit(const std::filesystem::path& root);

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
