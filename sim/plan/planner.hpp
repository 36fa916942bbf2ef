#pragma once
// Workload + Fabric + Catalog -> Plan: the one place that knows which planner a kind of workload has.

#include <functional>

#include "models/catalog.hpp"
#include "sim/engines/common/watch.hpp"
#include "sim/plan/collectives/collective.hpp"
#include "sim/plan/collectives/group_plans.hpp"
#include "sim/plan/plan.hpp"
#include "sim/plan/workload.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline plans {

struct PlanContext {
    const Fabric& fabric;
    const LibrarySpec& library;
    const LaunchSpec& launch;
    const Catalog& catalog;
};

struct PlanOptions {
    bool judged = true;  // false: leave out evidence, interval and figures of a collective, which take most of the time
    Watch watch{};
    GroupPlans* groups = nullptr;         // a training step's: calls that other steps on this fabric have planned
    int iterations = planned_iterations;  // a collective's, back to back
};

// Plans one size of a workload; kinds without sizes ignore it.
using SizePlanner = std::function<Plan(Bytes size, const PlanOptions& options)>;

// What all sizes share is done once, here. Keeps references to its arguments. Both this and the planner throw
// PlanError, CatalogError and, for a trace, InputError and CannotEnd.
SizePlanner planner_of(const Workload& workload, const PlanContext& context);

// The fabric that a workload is planned for: transfers count the latency of adapters in their own way.
Fabric fabric_for(const Workload& workload, Fabric built, const Catalog& catalog);

}  // namespace fabricast::inline plans
