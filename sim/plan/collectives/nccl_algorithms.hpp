#pragma once
// NCCL's algorithms, one row each. To add one, write plan_NAME.hpp and .cpp and add its row in nccl_algorithms.cpp.

#include "sim/plan/collectives/nccl/algorithm_model.hpp"

namespace fabricast::inline collectives::nccl {

Algorithms all_algorithms();

}  // namespace fabricast::inline collectives::nccl
