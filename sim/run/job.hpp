#pragma once
// One run of a scenario on its built fabric, whatever kind of workload it is: run(workload, job) plans, replays and
// summarizes it. Each kind has its own run_*.hpp.

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
    std::size_t threads = 1;  // sizes run side by side; the report does not depend on it
    bool trace = false;       // keep every operation's times
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
