#pragma once
// Two files about one host: NCCL's XML has the tree, nvidia-smi the NVLinks, lspci what a slot could do.

#include <vector>

#include "discovery/site/finding.hpp"

namespace fabricast::inline site {

// Puts what another file says of the same host into `into`. What both state and differ in becomes a finding.
void merge_node(NodeSeen& into, const NodeSeen& from, std::vector<Finding>& findings);

}  // namespace fabricast::inline site
