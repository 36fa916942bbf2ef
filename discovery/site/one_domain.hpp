#pragma once
// The hosts of one NVLink domain as one node.

#include <vector>

#include "discovery/observation.hpp"

namespace fabricast::inline site {

// Bus ids and NUMA numbers, which each host counts for itself, are told apart by the host's number.
NodeSeen one_domain(std::vector<NodeSeen> hosts);

}  // namespace fabricast::inline site
