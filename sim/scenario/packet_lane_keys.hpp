#pragma once
// Keys of the lanes of a link, and of its buffers.

#include <vector>

#include "base/units.hpp"
#include "sim/scenario/key.hpp"

namespace fabricast {

// What a key of `packet` may be at most.
inline constexpr Duration longest_timer = microseconds(1'000'000);
inline constexpr Bytes largest_memory{std::int64_t{1} << 40};

// Of the block: lanes, PCI Express, and InfiniBand's congestion control.
std::vector<Key> packet_lane_keys();

}  // namespace fabricast
