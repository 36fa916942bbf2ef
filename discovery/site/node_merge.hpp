#pragma once
// Two files about one host: NCCL's XML has the tree, nvidia-smi the NVLinks, lspci what a slot could do. And several
// hosts that are one node.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "discovery/observation.hpp"
#include "discovery/site/finding.hpp"

namespace fabricast::inline site {

// What a finding calls it: "gpu3"; "mlx5_0", or "nic2" where it has no name.
std::string end_text(const GpuSeen& gpu);
std::string end_text(const NicSeen& nic);

// Puts what another file says of the same host into `into`. What both state and differ in becomes a finding.
void merge_node(NodeSeen& into, const NodeSeen& from, std::vector<Finding>& findings);

// Whether two rates of one port differ by more than a virtual machine's print does (OCI: 180 Gb/s for 200).
inline bool unlike_rates(std::int64_t a, std::int64_t b) { return std::min(a, b) * 100 < std::max(a, b) * 85; }

// The hosts of one NVLink domain as one node. Bus ids and NUMA numbers, which each host counts for itself, are told
// apart by the host's number.
NodeSeen one_domain(std::vector<NodeSeen> hosts);

}  // namespace fabricast::inline site
