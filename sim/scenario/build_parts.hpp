#pragma once
// The parts of the cluster that a scenario asks for: its node template with the options applied, and its switch.

#include "models/catalog.hpp"
#include "models/device_part.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/cluster.hpp"

namespace fabricast::inline scenario {

// The node that the request names or describes by its parts, without its options.
NodeTemplate node_named(const NodeRequest& request, const Catalog& catalog);

// One of the scenario's nodes, stated at `place`. Throws InputError at what cannot be built.
NodeTemplate build_node(const Scenario& scenario, const NodeRequest& request, const SourceLocation& place,
                        const Catalog& catalog);

// The switch of its fabric, and whether its links fit the ports at their ends. Each throws InputError at the key whose
// value cannot be built. Precondition: the fabric's links are set.

// The switch that the scenario names, or the usual one of the fabric's link.
SwitchSpec switch_for(const Scenario& scenario, const Catalog& catalog, const FabricSpec& fabric);

// Refuses links that are faster than the ports of the NIC or the switch: a cable is as fast as the ports at its ends.
void refuse_slow_ports(const Scenario& scenario, const Catalog& catalog, const FabricSpec& fabric, const NicSpec& nic);
void refuse_slow_ports(const Scenario& scenario, const Catalog& catalog, const FabricSpec& fabric,
                       const SwitchSpec& chosen);

}  // namespace fabricast::inline scenario
