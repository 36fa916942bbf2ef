#pragma once
// The catalogue for a scenario: the program's own parts, a user's folder of parts, and overlays of measured figures
// over both.

#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast::inline scenario {

// An empty `folder` adds none. The scenario's own `calibration:` is merged first, then `overlays`. Throws as
// read_catalog and merge_overlay do; InputError at `calibration` if an overlay of the scenario cannot be read.
Catalog calibrated_catalog(const std::string& folder, const Scenario* scenario,
                           const std::vector<std::string>& overlays);

}  // namespace fabricast::inline scenario
