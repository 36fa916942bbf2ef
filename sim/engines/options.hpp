#pragma once
// The engines, and what can be asked of each.

#include <variant>

#include "sim/engines/flow/options.hpp"
#include "sim/engines/packet/options.hpp"

namespace fabricast {

// Closed forms: exact where nothing contends, instant everywhere.
struct Analytic {};

// The independent referee; absent from builds without SimGrid (then replay throws MissingEngine).
struct SimGrid {};

using Engine = std::variant<Flow, Analytic, SimGrid, Packet>;

}  // namespace fabricast
