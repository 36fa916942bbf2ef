#pragma once
// Checks inside nodes: NVLinks, PCIe width and speed, sockets. Alike devices of alike nodes are compared with what most
// of them have.

#include <vector>

#include "discovery/site/node_shape.hpp"
#include "discovery/site/site.hpp"

namespace fabricast::inline site {

std::vector<Finding> check_nodes(const Site& site, const Catalog& catalog, const StatedParts& said);

}  // namespace fabricast::inline site
