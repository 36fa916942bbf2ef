#pragma once
// Workload + Fabric + Catalog -> Plan: the one place that knows which planner a kind of workload has.

#include "sim/plan/size_planner.hpp"
#include "sim/plan/workload.hpp"

namespace fabricast::inline plans {

// What all sizes share is done once, here. Keeps references to its arguments. Both this and the planner throw
// PlanError, CatalogError and, for a trace, InputError and CannotEnd.
SizePlanner planner_of(const Workload& workload, const PlanContext& context);

// The fabric that a workload is planned for: transfers count the latency of adapters in their own way.
Fabric fabric_for(const Workload& workload, Fabric built, const Catalog& catalog);

}  // namespace fabricast::inline plans
