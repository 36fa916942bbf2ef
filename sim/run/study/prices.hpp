#pragma once
// The prices, powers and costs of ownership that a scenario states under `prices`.

#include <string_view>

#include "models/catalog.hpp"
#include "sim/run/study/parts_list.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast::inline studies {

// Whether a figure of the scenario's `prices` ("quantum-2", "data-centre/pue") is in a sum over this list, or in the
// cost of tokens if the design makes any.
bool uses_price(const PartsList& list, const Catalog& catalog, std::string_view key, bool makes_tokens);

// Merges the scenario's `prices` into the catalogue. Throws InputError at the key: of unknown parts, in other units, of
// figures that are no prices, and where two keys state one figure.
void apply_prices(const Scenario& scenario, Catalog& catalog);
// Throws what apply_prices throws, for commands that need no prices.
void check_prices(const Scenario& scenario, const Catalog& catalog);

}  // namespace fabricast::inline studies
