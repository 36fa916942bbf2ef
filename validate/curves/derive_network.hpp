#pragma once
// The part of `derive` that looks outside the node.

#include "models/catalog.hpp"
#include "validate/curves/derived.hpp"
#include "validate/import/alias.hpp"
#include "validate/import/measurement.hpp"

namespace fabricast {

// Fills the fabric, its link, the NICs and the transport of `out.scenario`, and `out.group.fabric`; of a single node
// only what the network's plugin sets in the environment. Precondition: the node and the environment are derived.
// Throws InputError on a network that nothing here models.
void derive_network(const Measurement& measurement, const AliasTable& table, Derived& out);

// Where the link is faster than the template's adapters: the slowest of the catalogue that speaks it at its rate.
void take_fitting_nic(Derived& derived, const Catalog& catalog);

}  // namespace fabricast
