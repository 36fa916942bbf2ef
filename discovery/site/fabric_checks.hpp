#pragma once
// Checks of more than one node or file.

#include <vector>

#include "discovery/site/site.hpp"
#include "discovery/site/wiring.hpp"

namespace fabricast::inline site {

// Between nodes: rails, the rates of cables, uplinks.
std::vector<Finding> check_fabric(const Site& site, const Wiring& wiring);

// What files of different kinds say of one fact and differ in: an adapter's rate inside its host and on its cable, the
// switch above a host in a scheduler's tree and by cables. Of two files about one host node_merge.hpp compares all.
std::vector<Finding> check_contradictions(const Site& site);

}  // namespace fabricast::inline site
