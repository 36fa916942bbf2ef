#pragma once
// Replays every operation at the rate that it has alone: exact if nothing contends, and one pass over the schedule.

#include "sim/engines/common/engine_traits.hpp"

namespace fabricast::inline analytic {

// Closed forms: exact if nothing contends, and always instant.
struct Analytic {
    static constexpr EngineTraits traits{.name = "analytic",
                                         .about = "closed forms; exact where nothing contends",
                                         .memory = memory_of_links,
                                         .whole_operations = true,
                                         .lower_bound = true};
};

Timeline replay_task(const Analytic&, const ReplayTask& task);

}  // namespace fabricast::inline analytic
