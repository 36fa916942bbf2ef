#pragma once
// Changes in time: what a scenario's events name, found in its fabric as changes of links.

#include <vector>

#include "models/catalog.hpp"
#include "sim/engines/engine.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/fabric.hpp"

namespace fabricast {

// In the order of the scenario's events, each flap by itself. Throws ScenarioError at the events where a link, a device
// or a part does not exist (naming the nearest), or where the scenario's engine replays without events.
std::vector<LinkEvent> link_events(const Scenario& scenario, const Fabric& fabric, const Catalog& catalog);

// Both directions of a cable between two devices (the first of parallel ones), and the service that both share. Empty
// where none joins them.
std::vector<LinkId> links_of_cable(const Fabric& fabric, DeviceId a, DeviceId b);
// All links that begin or end at the device.
std::vector<LinkId> links_of(const Fabric& fabric, DeviceId device);

}  // namespace fabricast
