#pragma once
// The engines and their options.

#include <variant>

#include "sim/engines/flow/options.hpp"
#include "sim/engines/packet/options.hpp"

namespace fabricast {

// Closed forms: exact if nothing contends, and always instant.
struct Analytic {};

// An independent reference; absent from builds without SimGrid (then replay throws MissingEngine).
struct SimGrid {};

using Engine = std::variant<Flow, Analytic, SimGrid, Packet>;

}  // namespace fabricast
