#pragma once
// A scenario's whole explanation: the blame of its largest run, what would change it, and where its scaling bends.

#include <cstddef>

#include "sim/run/explain/explanation.hpp"

namespace fabricast::inline explain {

// `whole` is the scenario as written; all but the scaling curve is of its single point. Throws as simulate() does.
Explanation explained(const Scenario& whole, const Catalog& catalog, std::size_t threads, const Watch& watch = {});

}  // namespace fabricast::inline explain
