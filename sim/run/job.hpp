#pragma once
// One run of a scenario on its fabric, whatever the kind of workload: run(workload, job) plans, replays and summarizes
// it. Each kind of workload has its own run_*.hpp.

#include <cstddef>
#include <functional>
#include <vector>

#include "models/catalog.hpp"
#include "sim/engines/engine.hpp"
#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/fabric.hpp"

namespace fabricast {

struct SimulateOptions {
    std::size_t threads = 1;  // message sizes run in parallel; the report does not depend on it
    bool trace = false;       // keep the times of every operation
};

struct Job {
    const Scenario& scenario;
    const Catalog& catalog;
    const Fabric& fabric;
    std::vector<LinkEvent> events;
    const Watch& watch;
    const std::function<void(const Row&)>& on_row;
    const SimulateOptions& options;
};

}  // namespace fabricast
