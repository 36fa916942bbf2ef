#pragma once
// From a catalogue part of kind `link` to a LinkSpec. Each family knows its own framing; this is where they meet: a new
// family is a row of the table in link_part.cpp.

#include "models/catalog.hpp"
#include "models/link.hpp"

namespace fabricast {

// One link of the part, per direction. Throws CatalogError where the part is no link, or a figure is missing or in
// another unit.
LinkSpec link_spec(const Part& part);

// "nvlink" -> LinkFamily::nvlink; throws CatalogError naming the nearest.
LinkFamily link_family(const Part& part);

}  // namespace fabricast
