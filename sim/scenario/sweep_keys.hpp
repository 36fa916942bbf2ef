#pragma once
// The keys of `sweep`, for the table in keys.cpp.

#include <vector>

#include "sim/scenario/key.hpp"

namespace fabricast {

std::vector<Key> sweep_keys();

}  // namespace fabricast
