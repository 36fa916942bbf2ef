#pragma once
// What would change the result: the scenario with one thing changed, simulated like any other. Each is a scenario of
// keys and an overlay over the catalogue that a user could write, and `--emit` writes it.

#include <cstddef>
#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "sim/engines/engine.hpp"
#include "sim/report/report.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/fabric.hpp"

namespace fabricast {

struct Counterfactual {
    std::string name;     // "network-link-twice-as-fast"
    std::string words;    // "infiniband-ndr and its ports twice as fast"
    Scenario scenario;    // with the change in its keys
    std::string overlay;  // with the change in the catalogue's figures, YAML; empty: none
    double seconds = 0;   // simulated; 0 where it cannot run
    std::string failure;  // why it cannot
};

// The changes that make sense for this scenario, not yet run.
std::vector<Counterfactual> counterfactuals(const Scenario& scenario, const Fabric& fabric, const Catalog& catalog);

// Runs them, on so many threads, and puts those that change most first. Throws Stopped.
void run_all(std::vector<Counterfactual>& changes, double base_seconds, const Catalog& catalog, std::size_t threads,
             const Watch& watch = {});

// Seconds that a report came to: of the largest size, the step, or the replayed trace.
double seconds_of(const Report& report);
double run_seconds(const Scenario& scenario, const Catalog& catalog, const Watch& watch);

}  // namespace fabricast
