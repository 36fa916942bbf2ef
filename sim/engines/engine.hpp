#pragma once
// Replays a Schedule on a Fabric with any of the engines.

#include <optional>
#include <string>
#include <vector>

#include "sim/engines/common/accounting.hpp"
#include "sim/engines/engines.hpp"

namespace fabricast::inline engines {

// Estimates the memory that a replay would need before it allocates any, and throws TooLarge, which says what would
// fit, if that is more than `memory` bytes (by default: more than memory_here()).
void check_memory(const EngineTraits& engine, const Fabric& fabric, const Schedule& schedule,
                  std::optional<double> memory = {});

// What the engine is given. Throws TooLarge, or MissingEngine if it does not honour events or this build lacks it.
ReplayTask accepted_task(const EngineTraits& engine, const Fabric& fabric, const Schedule& schedule,
                         const std::vector<LinkEvent>& events, const Watch& watch);

// Describes the operation that would take longest on its own.
std::string longest_operation(const ReplayTask& task);

// With an engine of any table: a test has its own.
template <class AnyEngine>
Timeline replay_with(const AnyEngine& engine, const Fabric& fabric, const Schedule& schedule,
                     const std::vector<LinkEvent>& events = {}, const Watch& watch = {}) {
    const ReplayTask task = accepted_task(traits_of(engine), fabric, schedule, events, watch);
    try {
        Timeline timeline = std::visit([&](const auto& options) { return replay_task(options, task); }, engine);
        if (!traits_of(engine).lower_bound) { check_capacity(timeline, fabric); }
        return timeline;
    } catch (const OutOfRange& error) { throw OutOfRange(std::string(error.what()) + "; " + longest_operation(task)); }
}

Timeline replay(const Engine& engine, const Fabric& fabric, const Schedule& schedule,
                const std::vector<LinkEvent>& events = {}, const Watch& watch = {});

}  // namespace fabricast::inline engines
