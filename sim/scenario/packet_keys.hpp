#pragma once
// The rows of the `packet` block, for the table in keys.cpp.

#include <vector>

#include "models/units.hpp"
#include "sim/scenario/schema.hpp"

namespace fabricast {

inline constexpr Duration longest_timer = microseconds(1'000'000);
inline constexpr Bytes largest_memory{std::int64_t{1} << 40};

std::vector<Key> packet_keys();

// Of them: lanes, PCI Express, and InfiniBand's congestion control.
std::vector<Key> packet_lane_keys();

}  // namespace fabricast
