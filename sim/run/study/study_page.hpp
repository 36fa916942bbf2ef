#pragma once
// A study as a page to hand over: the designs, how they differ, what they are made of.

#include "sim/report/html/page.hpp"
#include "sim/run/study/study.hpp"
#include "sim/scenario/scenario.hpp"

namespace fabricast::html {

// `scenario`: the first design's.
Page study_page(const Scenario& scenario, const Study& study);

}  // namespace fabricast::html
