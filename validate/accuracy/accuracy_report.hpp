#pragma once
// docs/accuracy.md and its plots, from the rows of the CSV and the curves behind them.

#include <string>
#include <vector>

#include "validate/accuracy/collect.hpp"

namespace fabricast {

// Everything the page says; nothing in it that the rows and curves do not say.
std::string accuracy_page(const std::vector<AccuracyRow>& rows, const Collection& collection,
                          const KnownMisses& misses);

// Median error of each site in the three regimes, beside the null models and the fit without the site.
std::string sites_plot(const std::vector<AccuracyRow>& rows);

// Measured and forecast, one panel a system: of each group and collective the curve with the most sizes.
std::string curves_plot(const Collection& collection);

}  // namespace fabricast
