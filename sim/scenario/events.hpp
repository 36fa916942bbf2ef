#pragma once
// The events of a scenario, resolved to changes of links and devices of its fabric.

#include <vector>

#include "models/catalog.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/bill.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline scenario {

// The cables that one change affects: those of a link by its name, one cable between two devices, all cables of a
// switch by its own name ("spine3", even if the fabric merges it with other switches into one device), the cable at a
// port ("leaf1.port7"), all cables of a plane ("plane1"), or all cables of a device. Throws InputError at the change if
// the name does not exist; the message suggests the nearest name.
std::vector<CablesOfLink> cables_of(const Scenario& scenario, const Fabric& fabric, const LinkChange& change);

// The remaining share of each link or GPU after each change. Link changes are in order of time, at equal times in the
// order of the scenario's events. Throws InputError also if the scenario's engine does not support events.
std::vector<LinkEvent> link_events(const Scenario& scenario, const Fabric& fabric, const Catalog& catalog);

}  // namespace fabricast::inline scenario
