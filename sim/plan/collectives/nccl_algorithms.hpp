#pragma once
// NCCL's algorithms. To add one, write its source in kinds/, declare it here and add its row in nccl_algorithms.cpp.

#include "sim/plan/collectives/nccl/algorithm_model.hpp"

namespace fabricast::inline collectives::nccl {

extern const AlgorithmModel tree_model, ring_model, collnet_direct_model, collnet_chain_model, nvls_model,
    nvls_tree_model, pat_model;

Algorithms all_algorithms();

}  // namespace fabricast::inline collectives::nccl
