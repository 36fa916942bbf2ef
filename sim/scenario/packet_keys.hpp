#pragma once
// The keys of engine packet.

#include <vector>

#include "sim/scenario/key.hpp"

namespace fabricast::inline scenario {

std::vector<Key> packet_keys();

}  // namespace fabricast::inline scenario
