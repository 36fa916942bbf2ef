#pragma once
// How wide an 80 % interval of measured / forecast must be, told by groups of rows (sites, published tables).

#include <map>
#include <string>
#include <vector>

namespace fabricast::inline score {

// measured / forecast.
struct RatioRange {
    double low80 = 1, high80 = 1;
    bool holds(double ratio) const { return low80 <= ratio && ratio <= high80; }
    // `power` times as wide in logarithms.
    RatioRange widened(double power) const;
};

// The interval that contains 80 % of the distances |ln(measured / forecast)| of all groups, with equal weight for each
// group. It is widened by the ratio of Student's t to the normal quantile, for few groups. At least one ratio.
using RatioGroups = std::map<std::string, std::vector<double>>;
RatioRange range_of(const RatioGroups& groups);

}  // namespace fabricast::inline score
