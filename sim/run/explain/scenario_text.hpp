#pragma once
// A scenario as YAML, key by key, as the parser resolved it.

#include <string>

#include "sim/scenario/scenario.hpp"

namespace fabricast {

std::string scenario_yaml(const Scenario& scenario);

}  // namespace fabricast
