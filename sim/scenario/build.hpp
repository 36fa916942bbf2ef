#pragma once
// Scenario + Catalog -> Cluster: names become parts, and what the scenario leaves open takes its usual value.

#include <cstdint>

#include "models/catalog.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/cluster.hpp"

namespace fabricast {

// Throws InputError at the key whose value cannot be built: an unknown part (naming the nearest), a NIC count that
// the template cannot have, a link that no switch in the catalogue speaks.
Cluster build(const Scenario& scenario, const Catalog& catalog);

// The same with another number of nodes, as a scaling table asks for. One node keeps the scenario's fabric if it names
// one.
Cluster build(const Scenario& scenario, const Catalog& catalog, std::uint32_t nodes);

}  // namespace fabricast
