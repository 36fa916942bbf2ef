#pragma once
// The keys of sweeps.

#include <vector>

#include "sim/scenario/key.hpp"

namespace fabricast::inline scenario {

std::vector<Key> sweep_keys();

}  // namespace fabricast::inline scenario
