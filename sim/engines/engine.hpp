#pragma once
// The table of engines, and replays of a Schedule on a Fabric with any of them. An engine is a folder and a word here:
// a struct of its options with its `traits` and a function replay_task (common/engine_traits.hpp).

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "sim/engines/analytic/analytic.hpp"
#include "sim/engines/common/checks.hpp"
#include "sim/engines/flow/flow.hpp"
#include "sim/engines/packet/replay.hpp"
#include "sim/engines/simgrid/simgrid.hpp"

namespace fabricast::inline engines {

// In the order in which lists name them; the first is the default.
using Engine = std::variant<Flow, Analytic, SimGrid, Packet>;

template <class AnyEngine> const EngineTraits& traits_of(const AnyEngine& engine) {
    return std::visit([](const auto& options) -> const EngineTraits& { return options.traits; }, engine);
}

// Each engine with its default options.
template <class AnyEngine = Engine> std::vector<AnyEngine> all_engines() {
    return []<std::size_t... I>(std::index_sequence<I...>) {
        return std::vector<AnyEngine>{AnyEngine(std::in_place_index<I>)...};
    }
    (std::make_index_sequence<std::variant_size_v<AnyEngine>>());
}

// The names of the engines that have this trait, or of all.
template <class AnyEngine = Engine> std::vector<std::string> engine_names(bool EngineTraits::*trait = nullptr) {
    std::vector<std::string> names;
    for (const AnyEngine& engine : all_engines<AnyEngine>()) {
        if (trait == nullptr || traits_of(engine).*trait) { names.emplace_back(traits_of(engine).name); }
    }
    return names;
}

inline std::size_t cores() { return std::max(1U, std::thread::hardware_concurrency()); }

// How many of `threads` may replay.
inline std::size_t threads_for(const Engine& engine, std::size_t threads) {
    return traits_of(engine).one_thread ? 1 : threads;
}

// Estimates the memory that a replay would need before it allocates any, and throws TooLarge, which says what would
// fit, if that is more than `memory` bytes (by default: more than memory_here()).
void check_memory(const EngineTraits& engine, const Fabric& fabric, const Schedule& schedule,
                  std::optional<double> memory = {});

// What the engine is given. Throws TooLarge, or MissingEngine if it does not honour events or this build lacks it.
ReplayTask accepted_task(const EngineTraits& engine, const Fabric& fabric, const Schedule& schedule,
                         const std::vector<LinkEvent>& events, const Watch& watch);

// Throws std::logic_error if the timeline cannot be that of this task.
void check_replay(const EngineTraits& engine, const ReplayTask& task, const Timeline& timeline);

// Describes the operation that would take longest on its own.
std::string longest_operation(const ReplayTask& task);

// With an engine of the table, or of a test's own.
template <class AnyEngine = Engine>
Timeline replay(const std::type_identity_t<AnyEngine>& engine, const Fabric& fabric, const Schedule& schedule,
                const std::vector<LinkEvent>& events = {}, const Watch& watch = {}) {
    const ReplayTask task = accepted_task(traits_of(engine), fabric, schedule, events, watch);
    try {
        const auto replayed = [&](const ReplayTask& one) {
            return std::visit([&](const auto& options) { return replay_task(options, one); }, engine);
        };
        Timeline timeline = replayed(task);
        check_replay(traits_of(engine), task, timeline);
        if (checking() && short_enough_to_repeat(schedule, timeline)) {
            const Watch unseen{watch.stop};
            check_repeated(timeline, replayed({fabric, schedule, task.device, task.events, unseen}));
        }
        return timeline;
    } catch (const OutOfRange& error) { throw OutOfRange(std::string(error.what()) + "; " + longest_operation(task)); }
}

}  // namespace fabricast::inline engines
