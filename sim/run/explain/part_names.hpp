#pragma once
// Which part of its workload each operation of a plan belongs to, in words: "tensor-parallel", "launch", "kernels".

#include <string>
#include <vector>

#include "sim/plan/plan.hpp"

namespace fabricast {

// Parts of a replayed trace that do not name a collective.
inline constexpr std::string_view kernels = "kernels", on_host = "the CPU", between_records = "between records";

// One name for each operation of the plan's schedule. Precondition: the plan keeps what its planner kept, first.
std::vector<std::string> part_names(const Plan& plan);

}  // namespace fabricast
