#pragma once
// Double binary trees between the nodes with a chain inside each: reduce up and broadcast down, pipelined.

#include "sim/plan/collectives/nccl/algorithm_model.hpp"

namespace fabricast::inline collectives::nccl {

extern const AlgorithmModel tree_model;

}  // namespace fabricast::inline collectives::nccl
