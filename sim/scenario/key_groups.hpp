#pragma once
// The keys of a scenario in groups, one file each, which scenario_keys() puts in the order of the documentation.

#include <vector>

#include "base/units.hpp"
#include "sim/scenario/key.hpp"

namespace fabricast {

std::vector<Key> training_keys();
std::vector<Key> trace_keys();
std::vector<Key> transfer_keys();
std::vector<Key> event_keys();
std::vector<Key> packet_keys();
std::vector<Key> sweep_keys();

// Those of virtual lanes, PCI Express and InfiniBand's congestion control, in `packet`.
std::vector<KeyOf<Packet>> packet_lane_keys();

// Upper limits for the keys of `packet`.
inline constexpr Duration longest_timer = microseconds(1'000'000);
inline constexpr Bytes largest_memory{std::int64_t{1} << 40};

}  // namespace fabricast
