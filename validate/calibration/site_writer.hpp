#pragma once
// Which sites contributed data for which parts of the catalogue.

#include "validate/calibration/catalog_writer.hpp"

namespace fabricast {

// The whole text of sites.yaml in the catalogue: one part for each GPU and link that a site has data for.
std::string site_parts(const std::vector<FitDataset>& data, FabricCache& cache);

}  // namespace fabricast
