#pragma once
// A calibration for people, and as an overlay over the catalogue.

#include <string>
#include <vector>

#include "validate/calibration/calibrate.hpp"
#include "validate/curves/compare.hpp"

namespace fabricast {

// Parameters with intervals, what was kept and why, outliers, and errors by regime: fitted rows and judged ones.
std::string to_text(const Calibration& calibration);

// YAML to be merged over the catalogue. Every figure that the data moved or only touched names its datasets with the
// mark of what was measured here; the intervals of forecasts that rest on nothing else are those of the judged rows.
std::string overlay_yaml(const Calibration& calibration, const Catalog& catalog, const std::vector<FitDataset>& data,
                         FabricCache& cache);

// The curve of a comparison as data for a fit: all rows that are not left out.
FitDataset fit_dataset(const Comparison& comparison);

}  // namespace fabricast
