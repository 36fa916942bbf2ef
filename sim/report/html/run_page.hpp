#pragma once
// A run as a page: the answer in one sentence, curves, breakdown, topology with its heat, and what it all rests on.

#include <vector>

#include "sim/engines/common/link_event.hpp"
#include "sim/report/html/page.hpp"
#include "sim/report/html/provenance.hpp"
#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::html {

// `fabric` and `events` are the scenario's own.
Page run_page(const Scenario& scenario, const Report& report, const Fabric& fabric,
              const std::vector<LinkEvent>& events = {});

}  // namespace fabricast::html
