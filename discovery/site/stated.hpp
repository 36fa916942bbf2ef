#pragma once
// What the user states of nodes, held against what the files say of them.

#include <string>

#include "discovery/site/shaper.hpp"
#include "discovery/site/site.hpp"
#include "models/catalog.hpp"

namespace fabricast::inline site {

// What the user states counts; of the first node whose file says something else it becomes a finding. `node`: a
// template; empty: none is stated.
void contradict_statements(Site& site, const Catalog& catalog, const std::string& node, const StatedParts& said);

}  // namespace fabricast::inline site
