#pragma once
// The percentile of a list.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace fabricast::inline base {

// The ninth decile of the normal distribution, in standard deviations: half of an 80 % interval.
inline constexpr double normal_decile = 1.2815515655446004;

// `percent` is 0 to 100; 50 gives the median. Interpolates between two ranks. nullopt for an empty list.
inline std::optional<double> percentile(std::vector<double> values, double percent) {
    if (values.empty()) { return std::nullopt; }
    std::sort(values.begin(), values.end());
    const double rank = percent / 100 * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(rank);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (rank - static_cast<double>(below)) * (values[above] - values[below]);
}

}  // namespace fabricast::inline base
