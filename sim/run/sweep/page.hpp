#pragma once
// A sweep as a page to hand over: each figure over the key that varies most, a line for each combination of the others.

#include "sim/report/html/page.hpp"
#include "sim/run/sweep/result.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast {

// `first`: the scenario of its first point, for what the page rests on.
html::Page sweep_page(const SweepResult& result, const Scenario& first);

}  // namespace fabricast
