#pragma once
// The catalogue's node template for hosts of which no file describes the inside.

#include <cstddef>
#include <string>

#include "discovery/site/shaper.hpp"
#include "models/catalog.hpp"

namespace fabricast::inline site {

// Closest in what the user states, then in the number of NICs, then in the link, then the plainest.
std::string usual_template(const Catalog& catalog, const StatedParts& said, std::size_t nics, const std::string& link);

}  // namespace fabricast::inline site
