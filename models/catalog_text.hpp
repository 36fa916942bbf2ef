#pragma once
// The catalogue for people: what it holds, and a part with each figure's interval, origin and source.

#include <string>
#include <string_view>

#include "models/catalog.hpp"

namespace fabricast {

// Every part by kind with its note; of one kind where `kind` is not empty. Throws CatalogError naming the nearest kind.
std::string catalog_list(const Catalog& catalog, std::string_view kind = {});

// One part: its words, its figures in handy units, and what follows from them (a link's goodput).
std::string catalog_page(const Part& part);

// A figure's values in a handy unit: "400 Gb/s" reads "50 GB/s", a list "4.4 us, 4.4 us, 0 s".
std::string shown_values(const Figure& figure);

}  // namespace fabricast
