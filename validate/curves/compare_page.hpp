#pragma once
// A measurement and its forecast as a self-contained page: measured points over the curves of the forecast.

#include "sim/report/html/page.hpp"
#include "validate/curves/compare.hpp"

namespace fabricast::inline curves {

html::Page compare_page(const Comparison& comparison);

}  // namespace fabricast::inline curves
