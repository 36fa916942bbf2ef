#pragma once
// SimGrid as an independent reference: the same schedule on the same links, in a child process of its own.

#include "sim/engines/common/engine_traits.hpp"

namespace fabricast::inline simgrid_engine {

struct SimGrid {
    static std::string_view missing();
    static MemoryNeed memory(const Fabric& fabric, const Schedule& schedule);
    // Replays are forked children, and only a process with one thread may fork.
    static constexpr EngineTraits traits{.name = "simgrid",
                                         .about = "the same schedule in SimGrid, as an independent referee",
                                         .memory = memory,
                                         .one_thread = true,
                                         .missing = missing};
};

// Precondition: this build has SimGrid.
Timeline replay_task(const SimGrid&, const ReplayTask& task);

}  // namespace fabricast::inline simgrid_engine
