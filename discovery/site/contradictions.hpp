#pragma once
// What files of different kinds say of one fact and differ in: an adapter's rate inside its host and on its cable, the
// switch above a host in a scheduler's tree and by cables. Of two files about one host node_merge.hpp compares all.

#include <vector>

#include "discovery/site/site.hpp"

namespace fabricast::inline site {

std::vector<Finding> check_contradictions(const Site& site);

}  // namespace fabricast::inline site
