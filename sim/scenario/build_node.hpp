#pragma once
// The node template that a scenario asks for, with its options applied.

#include "models/catalog.hpp"
#include "sim/scenario/scenario.hpp"
#include "topologies/cluster.hpp"

namespace fabricast::inline scenario {

// Throws InputError at the key whose value cannot be built. Precondition: the scenario names a template.
NodeTemplate build_node(const Scenario& scenario, const Catalog& catalog);

}  // namespace fabricast::inline scenario
