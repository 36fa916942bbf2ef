#pragma once
// What a page says of the scenario behind it.

#include <string>

#include "sim/report/html/page.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::html {

// What every page of a scenario ends with: engine, seed, version; the scenario as it was understood.
void add_provenance(Page& page, const Scenario& scenario);

// "16 x dgx-h100 (128 GPUs), rail-optimized infiniband-ndr".
std::string cluster_words(const Fabric& fabric);

}  // namespace fabricast::html
