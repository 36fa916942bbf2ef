#pragma once
// The keys of virtual lanes, PCI Express and InfiniBand's congestion control, under `packet`.

#include <vector>

#include "base/units.hpp"
#include "sim/scenario/key.hpp"

namespace fabricast::inline scenario {

std::vector<KeyOf<Packet>> packet_lane_keys();

// Upper limits for the keys of `packet`.
inline constexpr Duration longest_timer = microseconds(1'000'000);
inline constexpr Bytes largest_memory{std::int64_t{1} << 40};

}  // namespace fabricast::inline scenario
