#pragma once
// Changes in time: what a scenario's events name, found in its fabric as changes of links.

#include <vector>

#include "models/catalog.hpp"
#include "sim/engines/engine.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/bought.hpp"
#include "topologies/fabric.hpp"

namespace fabricast {

// What one change touches: a link by its name, one cable between two devices, a switch as it is bought ("spine3",
// whether drawn alone or with others), the cable at a port ("leaf1.port7"), a plane ("plane1"), or all cables of a
// device. Throws InputError at the change where there is no such thing, naming the nearest.
std::vector<CablesOfLink> cables_of(const Scenario& scenario, const Fabric& fabric, const LinkChange& change);

// In order of time, at equal times in the order of the scenario's events: what is left of each link after each change.
// Throws InputError also where the scenario's engine replays without events.
std::vector<LinkEvent> link_events(const Scenario& scenario, const Fabric& fabric, const Catalog& catalog);

}  // namespace fabricast
