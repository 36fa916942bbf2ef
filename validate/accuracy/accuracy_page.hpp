#pragma once
// docs/accuracy.md and its charts, made from the compared rows and the curves that they come from.

#include <string>
#include <vector>

#include "validate/accuracy/collect.hpp"

namespace fabricast {

// The whole page. It contains nothing that does not follow from the arguments.
std::string accuracy_page(const std::vector<ComparedRow>& rows, const Collection& collection,
                          const KnownMisses& misses);

// Median error of each site in the three regimes, next to the null models and the fit without the site.
std::string sites_chart(const std::vector<ComparedRow>& rows);

// Measured and forecast times, one panel per system. Each group and collective is shown by the curve with the most
// sizes.
std::string curves_chart(const Collection& collection);

}  // namespace fabricast
