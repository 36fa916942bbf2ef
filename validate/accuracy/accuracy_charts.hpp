#pragma once
// The pictures beside the page on accuracy.

#include <string>
#include <vector>

#include "validate/accuracy/collect.hpp"

namespace fabricast::inline validate_accuracy {

// Median error of each site in the three regimes, next to the null models and the fit without the site.
std::string sites_chart(const std::vector<ComparedRow>& rows);

// Measured and forecast times, one panel per system. Each group and collective is shown by the curve with the most
// sizes.
std::string curves_chart(const Collection& collection);

}  // namespace fabricast::inline validate_accuracy
