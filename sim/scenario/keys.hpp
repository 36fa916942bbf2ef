#pragma once
// Every key of a scenario, once: the parser, the check for unknown keys, the resolved scenario in results,
// docs/scenario.md and the JSON Schema all use this one table. To add a key, add a row (and a field with its default to
// Scenario).

#include <vector>

#include "sim/scenario/key.hpp"

namespace fabricast::inline scenario {

// In the order of the documentation; a map comes before its keys.
const std::vector<Key>& scenario_keys();

}  // namespace fabricast::inline scenario
