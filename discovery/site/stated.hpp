#pragma once
// What the user states of nodes: held against what the files say of them, and the template that it suits where no file
// describes the inside of a host.

#include <cstddef>
#include <string>

#include "discovery/site/shaper.hpp"
#include "discovery/site/site.hpp"
#include "models/catalog.hpp"

namespace fabricast::inline site {

// What the user states counts; of the first node whose file says something else it becomes a finding. `node`: a
// template; empty: none is stated.
void contradict_statements(Site& site, const Catalog& catalog, const std::string& node, const StatedParts& said);

// The catalogue's template closest in what the user states, then in the number of NICs, then in the link, then the
// plainest.
std::string usual_template(const Catalog& catalog, const StatedParts& said, std::size_t nics, const std::string& link);

}  // namespace fabricast::inline site
