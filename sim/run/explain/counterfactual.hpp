#pragma once
// What would change the result: the scenario with one thing changed, simulated like any other. Each counterfactual is a
// scenario plus an overlay over the catalogue, both of which a user could write; `--emit` writes them.

#include <cstddef>
#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline explain {

struct Counterfactual {
    std::string name;     // "network-twice-as-fast"
    std::string words;    // "infiniband-ndr, its NIC and switch ports twice as fast"
    Scenario scenario;    // the changed scenario, if the change is one of keys
    std::string overlay;  // the changed catalogue figures as YAML, if the change is one of figures; else empty
    double seconds = 0;   // simulated time; 0 if it cannot run
    std::string failure;  // why it cannot run; empty if it can
};

// The changes that make sense for this scenario, not yet run.
std::vector<Counterfactual> counterfactuals(const Scenario& scenario, const Fabric& fabric, const Catalog& catalog);

// Runs the changes on `threads` threads, then sorts them: the largest relative difference to `base_seconds` first,
// those that cannot run last. Throws Stopped.
void run_all(std::vector<Counterfactual>& changes, double base_seconds, const Catalog& catalog, std::size_t threads,
             const Watch& watch = {});

}  // namespace fabricast::inline explain
