#pragma once
// A study as a page to hand over: the designs, how they differ, what they are made of.

#include "sim/report/html/page.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/study/study.hpp"

namespace fabricast::html {

// `scenario`: the first design's.
Page study_page(const Scenario& scenario, const Study& study);

}  // namespace fabricast::html
