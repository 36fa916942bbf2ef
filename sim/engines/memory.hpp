#pragma once
// Estimates the memory that an engine would need before it allocates any. A replay that does not fit is refused, and
// the error says what would fit.

#include <optional>

#include "sim/engines/common/engine_traits.hpp"

namespace fabricast {

// Throws TooLarge if a replay needs more than `memory` bytes (by default: more than memory_here()).
void check_memory(const EngineTraits& engine, const Fabric& fabric, const Schedule& schedule,
                  std::optional<double> memory = {});

}  // namespace fabricast
