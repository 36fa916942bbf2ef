#pragma once
// The prices, powers and costs of ownership that a scenario states under `prices`.

#include <string_view>

#include "models/catalog.hpp"
#include "sim/run/study/parts_list.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast::inline studies {

// Whether a figure of the scenario's `prices` ("quantum-2", "data-centre/pue") is in a sum over this list, or in the
// cost of tokens if the design makes any; true for figures other than prices and powers, which forecasts may use.
bool uses_price(const PartsList& list, const Catalog& catalog, std::string_view key, bool makes_tokens);

// Merges the scenario's `prices` into the catalogue. Throws InputError at the key.
void apply_prices(const Scenario& scenario, Catalog& catalog);

}  // namespace fabricast::inline studies
