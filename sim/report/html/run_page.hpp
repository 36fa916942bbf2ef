#pragma once
// A run as a page: the answer in one sentence, curves, breakdown, topology with its heat, and what it all rests on.

#include <vector>

#include "sim/engines/link_event.hpp"
#include "sim/report/html/page.hpp"
#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::html {

// `fabric` and `events` are the scenario's own.
Page run_page(const Scenario& scenario, const Report& report, const Fabric& fabric,
              const std::vector<LinkEvent>& events = {});

// What every page of a scenario ends with: engine, seed, version; the scenario as it was understood.
void add_provenance(Page& page, const Scenario& scenario);

// "16 x dgx-h100 (128 GPUs), rail-optimized infiniband-ndr".
std::string cluster_words(const Fabric& fabric);

}  // namespace fabricast::html
