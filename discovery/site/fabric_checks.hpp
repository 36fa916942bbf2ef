#pragma once
// Checks between nodes: rails, the rates of cables, uplinks.

#include <vector>

#include "discovery/site/site.hpp"
#include "discovery/site/wiring.hpp"

namespace fabricast::inline site {

std::vector<Finding> check_fabric(const Site& site, const Wiring& wiring);

}  // namespace fabricast::inline site
