#pragma once
// Checks the links inside a node against the devices at their ends. A PCIe link runs at the speed of the slower device,
// and a template must not give a GPU NVLinks, or a PCIe switch lanes, that it does not have.

#include "models/catalog.hpp"
#include "topologies/cluster.hpp"

namespace fabricast::inline topologies {

// Throws CatalogError if a cable is faster than a device at its end, or a device uses more links or lanes than it has.
void check_node_links(const NodeTemplate& node, const Catalog& catalog);

// Slows PCIe links down to what the GPUs and NICs at their ends support, after these have replaced the template's own;
// a GPU with fewer links of the template's kind leaves the others to the NVSwitches unused.
void slow_to_devices(NodeTemplate& node, const Catalog& catalog);

}  // namespace fabricast::inline topologies
