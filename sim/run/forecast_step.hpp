#pragma once
// Plan, replay, summarize: one training step on one cluster.

#include <optional>

#include "sim/engines/engine.hpp"
#include "sim/plan/training/plan_step.hpp"
#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast {

struct StepForecast {
    StepRow row;
    std::vector<FigureUsed> figures;
    std::vector<std::string> notes, evidence_notes;
    std::vector<TraceSpan> trace;
    LinkTraffic traffic;
};

// Throws LayoutError if the layout does not fit the cluster or the step does not fit the GPU's memory; PlanError,
// CatalogError, and what replay throws.
StepForecast forecast_step(const Scenario& scenario, const TrainingWorkload& workload, const Fabric& fabric,
                           const Catalog& catalog, const std::vector<LinkEvent>& events = {}, const Watch& watch = {},
                           bool trace = false);

}  // namespace fabricast
