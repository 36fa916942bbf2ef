#pragma once
// A calibration as text for people, and as an overlay of the catalogue.

#include <string>
#include <vector>

#include "validate/calibration/calibrate.hpp"

namespace fabricast::inline calibration {

// Fitted figures with their intervals, figures that were kept and why, outliers, and errors by regime for fitted and
// for judged rows.
std::string to_text(const Calibration& calibration);

// YAML to be merged over the catalogue. Each figure in it, including those that the data used but did not determine,
// has a source marked as measured here; fitted figures name their datasets. The intervals of forecasts that rest only
// on such figures come from the judged rows.
std::string overlay_yaml(const Calibration& calibration, const Catalog& catalog, const std::vector<FitDataset>& data,
                         FabricCache& cache);

}  // namespace fabricast::inline calibration
