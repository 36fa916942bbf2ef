#pragma once
// Which sites told the catalogue what.

#include "validate/calibration/catalog_writer.hpp"

namespace fabricast {

// The catalogue's sites, one part for each GPU and link that a site's data are of: sites.yaml, whole.
std::string site_parts(const std::vector<FitDataset>& data, FabricCache& cache);

}  // namespace fabricast
