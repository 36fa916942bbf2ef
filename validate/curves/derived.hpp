#pragma once
// The result of `derive`: a scenario, and what was assumed.

#include <cstdint>
#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"
#include "validate/score/compared_row.hpp"

namespace fabricast::inline curves {

struct Derived {
    Scenario scenario;  // without sizes, which come from the curve
    std::uint32_t ranks = 0;
    SystemGroup group;
    std::vector<std::string> assumptions;
};

}  // namespace fabricast::inline curves
