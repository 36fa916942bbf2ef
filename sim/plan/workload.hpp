#pragma once
// What a cluster runs: a closed set, selected by `workload.kind`. To add a kind, add an alternative here, its keys to
// scenario_keys(), a planner (planner.hpp), its facts to Plan, and its part of summarize().

#include <variant>

#include "sim/plan/collectives/collective.hpp"
#include "sim/plan/traces/trace_workload.hpp"
#include "sim/plan/training/training_workload.hpp"
#include "sim/plan/transfers/transfer_workload.hpp"

namespace fabricast::inline plans {

using Workload = std::variant<CollectiveWorkload, TrainingWorkload, TraceWorkload, TransferWorkload>;

}  // namespace fabricast::inline plans
