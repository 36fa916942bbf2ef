#pragma once
// A run as a page: the answer, curves, breakdown, the topology with the load of its links, evidence and assumptions.

#include <vector>

#include "sim/engines/common/link_event.hpp"
#include "sim/report/html/page.hpp"
#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline report::html {

// Adds what every page ends with: engine, seed and version, and the scenario as the parser resolved it.
void add_provenance(Page& page, const Scenario& scenario);

// Precondition: `fabric` and `events` were built from `scenario`.
Page run_page(const Scenario& scenario, const Report& report, const Fabric& fabric,
              const std::vector<LinkEvent>& events = {});

// A run that cannot end: which links wait for which, marked in the picture of the cluster. `message` is the text of
// CannotEnd; the links that it names in quotes are marked.
Page deadlock_page(const Scenario& scenario, const Fabric& fabric, const std::string& message);

}  // namespace fabricast::inline report::html
