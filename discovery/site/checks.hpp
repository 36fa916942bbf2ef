#pragma once
// What looks wrong in a site: devices unlike their peers, cables unlike the plan. A check compares alike with alike, so
// that a machine that is built unevenly on purpose is not a finding.

#include <vector>

#include "base/json.hpp"
#include "discovery/site/describe.hpp"
#include "discovery/site/finding.hpp"
#include "discovery/site/site.hpp"
#include "models/catalog.hpp"

namespace fabricast::inline site {

// Every finding, those of the files' contradictions first.
std::vector<Finding> check(const Site& site, const Description& description, const Catalog& catalog,
                           const StatedParts& said);

// A site and what looks wrong in it, for programs.
Json site_json(const Site& site, const Description& made, const std::vector<Finding>& findings);

}  // namespace fabricast::inline site
