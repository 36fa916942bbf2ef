#pragma once
// Prints the catalogue for people: a list of parts, or one part with each figure's interval, origin and source.

#include <string>
#include <string_view>

#include "base/json.hpp"
#include "models/catalog.hpp"

namespace fabricast::inline models {

// Lists every part by kind, with its note; only `kind` if that is not empty. Throws CatalogError naming the nearest.
std::string catalog_list(const Catalog& catalog, std::string_view kind = {});

// One part: its words, its figures in convenient units, and what follows from them (a link's goodput).
std::string catalog_page(const Part& part);

// The same for programs: words, and figures in SI units with interval, origin and source.
Json part_json(const Part& part);
Json parts_json(const Catalog& catalog, std::string_view kind = {});

// A figure's values in a convenient unit: 400 Gb/s as "50 GB/s", a list as "4.4 us, 4.4 us, 0 s".
std::string shown_values(const Figure& figure);

}  // namespace fabricast::inline models
