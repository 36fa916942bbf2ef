#pragma once
// Whether the cables of an explicit graph fit the ports at their ends, as those of the other kinds of fabric do.

#include "models/catalog.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/cluster.hpp"

namespace fabricast::inline scenario {

// Throws InputError at the graph's cables if one is faster than a port at its ends or of a family that the part there
// does not speak, or if a switch has fewer ports than cables. Devices without a part of the catalogue take any cable.
// Precondition: the links of the graph's cables are set.
void refuse_unfit_cables(const Scenario& scenario, const Catalog& catalog, const Cluster& cluster);

}  // namespace fabricast::inline scenario
