#pragma once
// Changes in time: the links that a scenario's events name, found in its fabric.

#include <vector>

#include "sim/engines/engine.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/fabric.hpp"

namespace fabricast {

// Throws ScenarioError at the events where a link does not exist (naming the nearest), or where the scenario's engine
// replays without events.
std::vector<LinkEvent> link_events(const Scenario& scenario, const Fabric& fabric);

// Both directions of the cables between two devices, and the services that both share. Empty where none joins them.
std::vector<LinkId> links_between(const Fabric& fabric, DeviceId a, DeviceId b);
// All links that begin or end at the device.
std::vector<LinkId> links_of(const Fabric& fabric, DeviceId device);

}  // namespace fabricast
