#include "validate/score/ratio_range.hpp"

#include <algorithm>
#include <cmath>

#include "base/percentile.hpp"

namespace fabricast::inline score {
namespace {

struct Weighted {
    double distance = 0, weight = 1;  // |ln(measured / forecast)|
};

// 90 % quantile of Student's t: exact for 1 and 2 degrees of freedom, by the Cornish-Fisher expansion above
// (Abramowitz and Stegun, 26.7.5; within 0.1 %).
double t90(double freedom) {
    if (freedom < 1.5) { return 3.0776835; }
    if (freedom < 2.5) { return 1.8856181; }
    const double z = normal_decile, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
    return z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * freedom * freedom * freedom);
}

}  // namespace

RatioRange RatioRange::widened(double power) const { return {std::pow(low80, power), std::pow(high80, power)}; }

RatioRange range_of(const RatioGroups& groups) {
    std::vector<Weighted> points;
    for (const auto& [group, ratios] : groups) {
        for (const double ratio : ratios) {
            points.push_back({std::abs(std::log(ratio)), 1 / static_cast<double>(ratios.size())});
        }
    }
    std::ranges::sort(points, {}, &Weighted::distance);
    const auto m = static_cast<double>(groups.size());
    double within = 0;
    double distance = points.back().distance;
    for (const Weighted& point : points) {
        within += point.weight;
        if (within >= 0.8 * m * (1 - 1e-12)) {
            distance = point.distance;
            break;
        }
    }
    const double half = distance * t90(std::max(m - 1, 1.0)) / normal_decile;
    return {std::exp(-half), std::exp(half)};
}

}  // namespace fabricast::inline score
