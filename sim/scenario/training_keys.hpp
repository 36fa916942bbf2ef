#pragma once
// The keys of training steps.

#include <vector>

#include "sim/scenario/key.hpp"

namespace fabricast::inline scenario {

std::vector<Key> training_keys();

}  // namespace fabricast::inline scenario
