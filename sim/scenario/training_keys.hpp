#pragma once
// The keys of a training workload, for the table in keys.cpp.

#include <vector>

#include "sim/scenario/key.hpp"

namespace fabricast {

std::vector<Key> training_keys();

}  // namespace fabricast
