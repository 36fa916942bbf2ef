#pragma once
// A recorded trace prepared for replay on a fabric: read, mapped to the ranks of its job, lowered to operations.

#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "sim/plan/traces/import.hpp"
#include "sim/plan/traces/replayed.hpp"
#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/fabric.hpp"

namespace fabricast {

struct TraceJob {
    Recording recording;
    RecordedJob job;
    Replayed replayed;
    std::vector<FigureUsed> figures;
    std::vector<std::string> notes, evidence_notes;
};

// Precondition: `workload` is the scenario's. Throws InputError, CannotEnd, PlanError, CatalogError, and what
// `progress` throws.
TraceJob prepare_trace(const TraceWorkload& workload, const Scenario& scenario, const Fabric& fabric,
                       const Catalog& catalog, const ReadProgress& progress = {});

}  // namespace fabricast
