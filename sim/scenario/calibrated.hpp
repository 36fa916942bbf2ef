#pragma once
// The catalogue that a scenario is forecast with: the program's own parts, a user's folder, and overlays of measured
// figures over both.

#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast {

// A `folder` of "" adds none. The scenario's own `calibration:` comes first, then `overlays`. Throws as read_catalog
// and merge_overlay do; an overlay of the scenario that cannot be read is named at its place there.
Catalog calibrated_catalog(const std::string& folder, const Scenario* scenario,
                           const std::vector<std::string>& overlays);

}  // namespace fabricast
