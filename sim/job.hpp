#pragma once
// One run of a scenario on its built fabric, whatever kind of workload it is: run(workload, job) plans, replays and
// summarizes it. Each kind has its own run_*.cpp.

#include <functional>
#include <vector>

#include "models/catalog.hpp"
#include "sim/engines/engine.hpp"
#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/simulate.hpp"
#include "topologies/fabric.hpp"

namespace fabricast {

struct Job {
    const Scenario& scenario;
    const Catalog& catalog;
    const Fabric& fabric;
    std::vector<LinkEvent> events;
    const Watch& watch;
    const std::function<void(const Row&)>& on_row;
    const SimulateOptions& options;
};

// Throw as simulate does.
Report run(const CollectiveWorkload& workload, const Job& job);
Report run(const TraceWorkload& workload, const Job& job);
Report run(const TrainingWorkload& workload, const Job& job);
Report run(const TransferWorkload& workload, const Job& job);

}  // namespace fabricast
