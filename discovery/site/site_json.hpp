#pragma once
// A site and what looks wrong in it, for programs.

#include <vector>

#include "base/json.hpp"
#include "discovery/site/describe.hpp"
#include "discovery/site/finding.hpp"
#include "discovery/site/site.hpp"

namespace fabricast::inline site {

Json site_json(const Site& site, const Description& made, const std::vector<Finding>& findings);

}  // namespace fabricast::inline site
