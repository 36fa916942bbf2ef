#pragma once
// A recorded trace made ready to be replayed on a fabric: read, spread over the ranks of its job, lowered.

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

// `workload` is the scenario's. Throws InputError, CannotEnd, PlanError, CatalogError; what `progress` throws comes
// out.
TraceJob prepare_trace(const TraceWorkload& workload, const Scenario& scenario, const Fabric& fabric,
                       const Catalog& catalog, const ReadProgress& progress = {});

}  // namespace fabricast
