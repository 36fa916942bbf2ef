#pragma once
// The rows of the scenario's table for `sweep`.

#include <vector>

#include "sim/scenario/key.hpp"

namespace fabricast {

std::vector<Key> sweep_keys();

}  // namespace fabricast
