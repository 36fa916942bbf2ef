#pragma once
// A measurement beside its forecast as a page to hand over: measured points over the forecast's curves.

#include "sim/report/html/page.hpp"
#include "validate/curves/compare.hpp"

namespace fabricast {

html::Page compare_page(const Comparison& comparison);

}  // namespace fabricast
