#pragma once
// The table of engines. An engine is a folder and a word here: a struct of its options with its `traits`
// and a function replay_task (common/engine_traits.hpp).

#include <algorithm>
#include <cstddef>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "sim/engines/analytic/analytic.hpp"
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

}  // namespace fabricast::inline engines
