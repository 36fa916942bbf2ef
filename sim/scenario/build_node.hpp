#pragma once
// The node template that a scenario asks for, with its options applied.

#include "models/catalog.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/cluster.hpp"

namespace fabricast::inline scenario {

// The node that the request names or describes by its parts, without its options.
NodeTemplate node_named(const NodeRequest& request, const Catalog& catalog);

// One of the scenario's nodes, stated at `place`. Throws InputError at what cannot be built.
NodeTemplate build_node(const Scenario& scenario, const NodeRequest& request, const SourceLocation& place,
                        const Catalog& catalog);

}  // namespace fabricast::inline scenario
