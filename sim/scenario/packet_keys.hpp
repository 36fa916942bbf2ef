#pragma once
// The keys of the `packet` block, for the table in keys.cpp.

#include <vector>

#include "sim/scenario/key.hpp"

namespace fabricast {

std::vector<Key> packet_keys();

}  // namespace fabricast
