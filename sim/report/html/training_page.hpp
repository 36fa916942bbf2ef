#pragma once
// The sections of a training run: where a step's time goes, memory, scaling, and one rank's timeline.

#include "sim/report/html/page.hpp"
#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::html {

// Precondition: the report has steps. The timeline needs `report.trace`.
void add_steps(Page& page, const Scenario& scenario, const Report& report, const Fabric& fabric);

}  // namespace fabricast::html
