#pragma once
// The part of `derive` that handles the network between nodes.

#include "models/catalog.hpp"
#include "validate/curves/derived.hpp"
#include "validate/import/measurement.hpp"

namespace fabricast::inline curves {

// Fills the fabric, its link, the NICs and the transport of `out.scenario`, and `out.group.fabric`. For a single node,
// only applies the environment that the network plugin sets. Precondition: the node and the environment are derived.
// Throws InputError for a network that has no model here.
void derive_network(const Measurement& measurement, Derived& out);

// If the link is faster than the NICs of the node, takes the slowest NIC of the catalogue that supports the link type
// at its rate, and returns this as an assumption; else "".
std::string take_fitting_nic(ClusterRequest& cluster, const Catalog& catalog);

}  // namespace fabricast::inline curves
