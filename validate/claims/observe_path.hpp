#pragma once
// Quantities of data paths and of the machine itself: what one transfer takes, what every pair of GPUs can do.

#include <string>

#include "models/catalog.hpp"
#include "sim/scenario/scenario.hpp"
#include "validate/claims/claim.hpp"

namespace fabricast {

// Whether `take` is one of these, for this scenario.
bool is_path_quantity(const std::string& take, const Scenario& scenario);

// In SI base units. A transfer that is refused takes no transport: 0 where one is asked by name.
double of_path(const Observation& observation, const Scenario& scenario, const Catalog& catalog);

}  // namespace fabricast
