#pragma once
// A study as text.

#include <string>

#include "sim/run/study/study.hpp"

namespace fabricast {

// The designs as columns, best first; then how each differs from the design that was named first.
std::string study_table(const Study& study);

}  // namespace fabricast
