#pragma once
// Common random draws: the draw of an uncertain catalogue figure depends only on its name, so two designs that use the
// same figure get the same draw of it, and its uncertainty cancels out of their difference.

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/units.hpp"
#include "models/catalog.hpp"

namespace fabricast::inline studies {

// A value and its 80 % interval.
struct Range {
    double value = 0, low80 = 0, high80 = 0;
};
inline void to_json(Json& json, const Range& range) {
    json = {{"value", range.value}, {"low80", range.low80}, {"high80", range.high80}};
}

// Identifies a draw: equal seed, index and name give the same number on every machine.
struct Draw {
    std::uint64_t seed = 1;
    std::uint32_t index = 0;
};

// A standard normal deviate, clamped to two standard deviations: an 80 % interval says nothing of values beyond.
double normal(const Draw& draw, std::string_view name);

// The figure at `z` standard deviations: log-normal on each side of its value, such that a tenth of the draws lies
// below `low80` and a tenth above `high80`; linear if the value or the end is not above zero. The value itself if it
// has no interval.
double at_deviation(const Range& range, double z);
double drawn(const Figure& figure, const Draw& draw, std::string_view part, std::string_view name);

// The catalogue with every uncertain constant drawn. Counts, prices, powers and intervals keep their values.
Catalog drawn_catalog(const Catalog& catalog, const Draw& draw);

// A figure of the catalogue's part `study-intervals`: how far forecasts and results of one kind were from each other.
Range study_interval(const Catalog& catalog, std::string_view figure);

// Which of its regimes a message belongs to: "small", "middle", "large".
std::string_view regime_of(Bytes size);

// The first and the ninth decile of the draws, widened to contain `value`. Precondition: `draws` is not empty.
Range range_of(double value, const std::vector<double>& draws);

}  // namespace fabricast::inline studies
