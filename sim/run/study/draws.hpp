#pragma once
// Common random draws: each uncertain figure of the catalogue is drawn by its name, so that two designs which use the
// same figure see the same draw of it, and what they share cancels out of their difference.

#include <cstdint>
#include <string_view>
#include <vector>

#include "models/catalog.hpp"

namespace fabricast {

// A value and its 80 % interval.
struct Range {
    double value = 0, low80 = 0, high80 = 0;
};

// Which draw: the same seed, index and name give the same number on every machine.
struct Draw {
    std::uint64_t seed = 1;
    std::uint32_t index = 0;
};

// Standard normal, cut off at two deviations: beyond them an 80 % interval says nothing.
double normal(const Draw& draw, std::string_view name);

// The figure at `z` standard deviations: log-normal on each side of its value, so that a tenth lies below `low80` and a
// tenth above `high80`; linear where an end is not above zero. The value itself where it has no interval.
double at_deviation(const Range& range, double z);
double drawn(const Figure& figure, const Draw& draw, std::string_view part, std::string_view name);

// The catalogue with every uncertain constant of its parts drawn. Counts, prices, powers and forecast intervals stay.
Catalog drawn_catalog(const Catalog& catalog, const Draw& draw);

// Between the first and the ninth decile of the draws, around `value`. Precondition: there are draws.
Range range_of(double value, const std::vector<double>& draws);

}  // namespace fabricast
