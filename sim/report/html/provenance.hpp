#pragma once
// The sections of a page that describe the scenario.

#include <string>

#include "sim/report/html/page.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline report::html {

// Adds what every page ends with: engine, seed and version, and the scenario as the parser resolved it.
void add_provenance(Page& page, const Scenario& scenario);

// "16 x dgx-h100 (128 GPUs), rail-optimized infiniband-ndr".
std::string cluster_words(const Fabric& fabric);

}  // namespace fabricast::inline report::html
