#pragma once
// A scenario written out as YAML, key by key, as the parser resolves it.

#include <string>

#include "sim/scenario/scenario.hpp"

namespace fabricast {

std::string scenario_yaml(const Scenario& scenario);

}  // namespace fabricast
