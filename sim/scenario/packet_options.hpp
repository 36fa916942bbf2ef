#pragma once
// The engine as a scenario asks for it, its figures filled in from the catalogue.

#include "models/catalog.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/fabric.hpp"

namespace fabricast {

// For engine packet: the scenario's `packet` block over its preset (a part of kind packet-preset), the buffer of the
// fabric's switch, whether the scenario names that switch or the build chose it, the scenario's seed; sizes run side by
// side, so a single one has all `threads` to itself. Other engines as they are. Throws InputError at `packet.preset`.
Scenario with_engine(Scenario scenario, const Fabric& fabric, const Catalog& catalog, std::size_t threads);

}  // namespace fabricast
