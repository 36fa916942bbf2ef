#pragma once
// Scenario + Catalog -> Cluster: resolves names to catalogue parts and fills in the usual values of what the scenario
// does not state.

#include <cstdint>

#include "models/catalog.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/cluster.hpp"

namespace fabricast::inline scenario {

// Throws InputError at the key whose value cannot be built: an unknown part (the message suggests the nearest name), a
// NIC count that the template cannot have, a link for which the catalogue has no switch.
Cluster build(const Scenario& scenario, const Catalog& catalog);

// The same with another number of nodes, as a scaling table needs it. A single node keeps the scenario's fabric if the
// scenario names one.
Cluster build(const Scenario& scenario, const Catalog& catalog, std::uint32_t nodes);

}  // namespace fabricast::inline scenario
