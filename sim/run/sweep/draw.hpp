#pragma once
// Random points: values between two others, with the decimals and the unit those are written with.

#include <cstdint>
#include <string>
#include <vector>

#include "sim/scenario/sweep_spec.hpp"

namespace fabricast {

// One value for each range, `spec.points` times; the same on every machine. Throws InputError at a range whose ends
// are no plain decimals of one unit, in ascending order.
std::vector<std::vector<SweepValue>> drawn_points(const RandomSweep& spec, std::uint64_t seed);

}  // namespace fabricast
