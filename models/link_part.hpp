#pragma once
// Builds a LinkSpec from a catalogue part of kind `link`. Each family has its own framing; to add a family, add a row
// to the table in link_part.cpp.

#include "models/catalog.hpp"
#include "models/link.hpp"

namespace fabricast {

// Throws CatalogError if the part is not a link, or a figure is missing or in another unit.
LinkSpec link_spec(const Part& part);

// "nvlink" -> LinkFamily::nvlink; throws CatalogError naming the nearest.
LinkFamily link_family(const Part& part);

}  // namespace fabricast
