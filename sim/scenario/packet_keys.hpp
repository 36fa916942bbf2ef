#pragma once
// The rows of the `packet` block, for the table in keys.cpp.

#include <vector>

#include "sim/scenario/schema.hpp"

namespace fabricast {

std::vector<Key> packet_keys();

// Of them: lanes, PCI Express, and InfiniBand's congestion control.
std::vector<Key> packet_lane_keys();

}  // namespace fabricast
