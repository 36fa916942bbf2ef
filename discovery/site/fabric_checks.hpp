#pragma once
// Checks between nodes: rails, the rates of cables, uplinks; and a plan (NDT, links csv, topology.dot, a configuration)
// against what was discovered: missing, miswired, extra.

#include <vector>

#include "discovery/site/site.hpp"
#include "discovery/site/wiring.hpp"

namespace fabricast::inline site {

std::vector<Finding> check_fabric(const Site& site, const Wiring& wiring);
std::vector<Finding> check_plan(const Site& site);

}  // namespace fabricast::inline site
