#pragma once
// The links inside a node against the devices at their ends. A PCIe link runs as fast as the slower of the two, and a
// template may not give a GPU NVLinks, or a PCIe switch lanes, that it does not have.

#include "models/catalog.hpp"
#include "topologies/cluster.hpp"

namespace fabricast {

// Throws CatalogError where a cable carries more than a device at its end, or devices hold more cables than they can.
void check_node_links(const NodeTemplate& node, const Catalog& catalog);

// Of GPUs and NICs put in the place of a template's own: their PCIe links run no faster than they do.
void slow_to_devices(NodeTemplate& node, const Catalog& catalog);

}  // namespace fabricast
