#pragma once
// One training step as a Schedule: representative GPUs compute, groups of GPUs communicate.

#include <cstdint>

#include "models/catalog.hpp"
#include "sim/plan/collectives/collective.hpp"
#include "sim/plan/collectives/group_plans.hpp"
#include "sim/plan/training/step_plan.hpp"
#include "sim/plan/training/training_workload.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline training {

// Whether identical replicas are simulated once, or each separately, which is the tests' oracle.
enum class Replicas : std::uint8_t { folded, each };

// Throws LayoutError, PlanError, CatalogError. `plans` are those of groups of this fabric, with `judged` false; many
// layouts that are planned one after another find the calls there that they have in common.
StepPlan plan_step(const TrainingWorkload& workload, const Fabric& fabric, GroupPlans& plans, const Catalog& catalog,
                   Replicas replicas = Replicas::folded);
StepPlan plan_step(const TrainingWorkload& workload, const Fabric& fabric, const LibrarySpec& library,
                   const Catalog& catalog, Replicas replicas = Replicas::folded);

}  // namespace fabricast::inline training
