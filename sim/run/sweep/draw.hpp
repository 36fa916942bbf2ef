#pragma once
// Random points of a sweep. A value drawn from a range has the unit and the decimals that its two ends are written
// with.

#include <cstdint>
#include <string>
#include <vector>

#include "sim/scenario/sweep_spec.hpp"

namespace fabricast::inline sweep {

// One value for each range, for each of `spec.points` points; the same on every machine. Throws InputError at a range
// whose ends are not plain decimals of one unit in ascending order.
std::vector<std::vector<SweepValue>> drawn_points(const RandomSweep& spec, std::uint64_t seed);

}  // namespace fabricast::inline sweep
