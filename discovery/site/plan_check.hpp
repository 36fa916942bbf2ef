#pragma once
// A plan (NDT, links csv, topology.dot, a configuration) against what was discovered: missing, miswired, slower, extra.

#include <vector>

#include "discovery/site/site.hpp"
#include "discovery/site/wiring.hpp"

namespace fabricast::inline site {

std::vector<Finding> check_plan(const Site& site, const Wiring& wiring);

}  // namespace fabricast::inline site
