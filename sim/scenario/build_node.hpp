#pragma once
// The node template that a scenario asks for, with its options applied.

#include "models/catalog.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/cluster.hpp"

namespace fabricast::inline scenario {

// The node that the request names or describes by its parts, without its options.
NodeTemplate node_named(const ClusterRequest& request, const Catalog& catalog);

// Throws InputError at the key whose value cannot be built. Precondition: the scenario names a template.
NodeTemplate build_node(const Scenario& scenario, const Catalog& catalog);

}  // namespace fabricast::inline scenario
