#pragma once
// Two files about one host: NCCL's XML has the tree, nvidia-smi the NVLinks, lspci what a slot could do.

#include <vector>

#include "discovery/site/finding.hpp"

namespace fabricast::inline site {

// Puts what another file says of the same host into `into`. What both state and differ in becomes a finding.
void merge_node(NodeSeen& into, const NodeSeen& from, std::vector<Finding>& findings);

// The hosts of one NVLink domain as one node. Bus ids and NUMA numbers, which each host counts for itself, are told
// apart by the host's number.
NodeSeen one_domain(std::vector<NodeSeen> hosts);

}  // namespace fabricast::inline site
