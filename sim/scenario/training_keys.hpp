#pragma once
// The rows of the scenario's table that a training workload adds.

#include <vector>

#include "sim/scenario/key.hpp"

namespace fabricast {

std::vector<Key> training_keys();

}  // namespace fabricast
