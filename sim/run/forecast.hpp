#pragma once
// A scenario on its fabric, planned, replayed and summarized. simulate(), the scaling table and explain loop over it.

#include <vector>

#include "models/catalog.hpp"
#include "sim/plan/planner.hpp"
#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline run {

// A scenario with its cluster built, events resolved and planner prepared. The catalogue must outlive it.
class Job {
public:
    // `built` is the cluster of the scenario, whose engine is ready (with_engine).
    Job(Scenario scenario, const Catalog& catalog, const Fabric& built);
    Job(const Job&) = delete;

    const Scenario scenario;
    const Catalog& catalog;
    const std::vector<LinkEvent> events;
    const Fabric fabric;
    const SizePlanner planner;
};

struct ForecastOptions {
    bool judged = true;            // evidence, interval and figures of a collective
    bool trace = false;            // the times of every operation
    GroupPlans* groups = nullptr;  // as PlanOptions::groups
};

// The report of one size; kinds without sizes ignore it. Throws what planners and engines throw.
Report forecast(const Job& job, Bytes size, const Watch& watch, const ForecastOptions& options = {});

}  // namespace fabricast::inline run
