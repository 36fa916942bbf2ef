#pragma once
// Options of the flow engine.

#include "base/units.hpp"

namespace fabricast {

// Fluid, event-driven, max-min fair; the default.
struct Flow {
    // Completions within this span are treated as simultaneous; 0 is exact. The report states the error bound.
    Duration merge_tolerance{};
};

}  // namespace fabricast
