#pragma once
// The default engine.

#include "sim/engines/common/engine_traits.hpp"

namespace fabricast::inline flow {

struct Flow {
    static constexpr EngineTraits traits{.name = "flow",
                                         .about = "fluid, event-driven, max-min fair",
                                         .memory = memory_of_links,
                                         .events = true,
                                         .whole_operations = true};
};

// Throws Stopped and CannotEnd.
Timeline replay_task(const Flow&, const ReplayTask& task);

}  // namespace fabricast::inline flow
