#pragma once
// A node template in the words of NCCL, which read_site() reads again.

#include <string>

#include "models/catalog.hpp"
#include "topologies/cluster.hpp"

namespace fabricast::inline site {

// As NCCL would dump it. Throws ClusterError for a node that the format cannot hold: an
// adapter joined to a GPU, or without a PCI id.
std::string to_nccl_topology(const NodeTemplate& node, const Catalog& catalog);

}  // namespace fabricast::inline site
