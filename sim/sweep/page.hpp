#pragma once
// A sweep as a page to hand over: each figure over the key that varies most, a line for each combination of the others.

#include "sim/report/html/page.hpp"
#include "sim/sweep/result.hpp"

namespace fabricast {

html::Page sweep_page(const SweepResult& result);

}  // namespace fabricast
