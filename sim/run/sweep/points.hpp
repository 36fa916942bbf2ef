#pragma once
// The points of a sweep as values of keys, before any scenario is read.

#include <cstdint>
#include <string>
#include <vector>

#include "sim/scenario/sweep_spec.hpp"

namespace fabricast::inline sweep {

// For each point, one value for each key of `varied`; a value with an empty text leaves the key as the scenario has it.
struct SweepPoints {
    std::vector<std::string> varied;
    std::vector<SourceLocation> places;  // where each of them is named: in the block or in --vary
    std::vector<std::vector<SweepValue>> values;
};

// The points of the scenario's `sweep` block, each combined with every combination of `vary`; the last key varies
// fastest. A key of `vary` replaces the same key of the block's grid. A value drawn from a range has the unit and the
// decimals that its two ends are written with. Throws InputError if a key is given twice, if the ends of a range are
// not plain decimals of one unit in ascending order, or if there are more than 1,000,000 points.
SweepPoints sweep_points(const SweepSpec& spec, const std::vector<Variation>& vary, std::uint64_t seed);

// "path=value" for each key that the point sets.
std::vector<std::string> overrides_of(const SweepPoints& points, std::size_t point);

}  // namespace fabricast::inline sweep
