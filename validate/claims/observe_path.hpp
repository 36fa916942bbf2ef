#pragma once
// Quantities of data paths and of the node itself: the time of one transfer, the bandwidth of every pair of GPUs.

#include <string>

#include "models/catalog.hpp"
#include "sim/scenario/scenario.hpp"
#include "validate/claims/claim.hpp"

namespace fabricast::inline claims {

// Whether `take` names such a quantity for this scenario.
bool is_path_quantity(const std::string& take, const Scenario& scenario);

// In SI base units. A transfer that is refused has no transport, so the value is 0 if the observation asks for a
// transport by name.
double of_path(const Observation& observation, const Scenario& scenario, const Catalog& catalog);

}  // namespace fabricast::inline claims
