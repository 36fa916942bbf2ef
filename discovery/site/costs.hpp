#pragma once
// What a finding costs: two forecasts of one collective, with the fault and without it, on the smallest cluster that
// shows it. Rings and trees go at the pace of the slowest member, so the cluster's size matters little.

#include <vector>

#include "discovery/site/describe.hpp"
#include "discovery/site/site.hpp"

namespace fabricast::inline site {

// Fills in the cost of each finding that a forecast can show.
void forecast_costs(std::vector<Finding>& findings, const Site& site, const Description& description,
                    const Catalog& catalog, const StatedParts& said);

}  // namespace fabricast::inline site
