#pragma once
// A sweep as a page: each figure over the size or the key that varies most, a line for each combination of others.

#include "sim/report/html/page.hpp"
#include "sim/run/sweep/result.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast::inline sweep {

// `first`: the scenario of the first point; the page shows it as its provenance.
html::Page sweep_page(const SweepResult& result, const Scenario& first);

}  // namespace fabricast::inline sweep
