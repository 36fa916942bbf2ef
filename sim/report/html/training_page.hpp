#pragma once
// The sections of a training run: where a step's time goes, memory, scaling, and one rank's timeline.

#include "sim/report/html/page.hpp"
#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast::inline report::html {

// Adds what one rank did: the spans of the first trace row whose name begins with `rank`, if any, a line for each lane.
void add_timeline(Page& page, const std::vector<TraceSpan>& trace, const std::string& rank);

// Precondition: the report has steps. The timeline needs `report.trace`. `cluster`: the scenario's, in words.
void add_steps(Page& page, const Scenario& scenario, const Report& report, std::uint32_t nodes,
               const std::string& cluster);

}  // namespace fabricast::inline report::html
