#pragma once
// Builds a LinkSpec from a catalogue part of kind `link`. Each family has its own framing. To add a family, add a row
// to the table in link_part.cpp; if its framing is a formula, put that into a file of its own.

#include <span>
#include <string_view>

#include "models/catalog.hpp"
#include "models/link.hpp"

namespace fabricast::inline models {

struct LinkFamilyRow {
    std::string_view name;  // the word `family` of its parts
    LinkSpec (*spec)(const Part& part, LinkFamily family);
    bool network = false;  // joins nodes; else it is found inside a node only
    bool sprays = true;    // a network of it sprays packets over equal paths unless the scenario says otherwise
};

std::span<const LinkFamilyRow> link_families();

// Throws CatalogError if the part is not a link, or a figure is missing or in another unit.
LinkSpec link_spec(const Part& part, std::span<const LinkFamilyRow> families = link_families());

// The family that the part states; throws CatalogError naming the nearest.
LinkFamily link_family(const Part& part, std::span<const LinkFamilyRow> families = link_families());

}  // namespace fabricast::inline models
