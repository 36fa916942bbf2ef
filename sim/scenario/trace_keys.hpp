#pragma once
// The rows of the scenario's table that a recorded trace adds.

#include <vector>

#include "sim/scenario/key.hpp"

namespace fabricast {

std::vector<Key> trace_keys();

}  // namespace fabricast
