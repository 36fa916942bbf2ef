#pragma once
// A transfer planned, replayed and measured, for those who ask for more than a report's row says.

#include "sim/plan/planner.hpp"
#include "sim/plan/timelines.hpp"
#include "sim/plan/transfers/exchange.hpp"

namespace fabricast {

// Precondition: the plan is of a transfer.
Exchange exchange_of(const Plan& plan, const Timelines& timelines, const Fabric& fabric);

// `context.fabric` is the result of fabric_for. Throws as the planner and the engine do.
Exchange exchange_at(Bytes size, const Workload& workload, const PlanContext& context, const Engine& engine);

}  // namespace fabricast
