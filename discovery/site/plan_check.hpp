#pragma once
// A plan (NDT, links csv, topology.dot, a configuration) against what was discovered: missing, miswired, extra.

#include <vector>

#include "discovery/site/site.hpp"

namespace fabricast::inline site {

std::vector<Finding> check_plan(const Site& site);

}  // namespace fabricast::inline site
