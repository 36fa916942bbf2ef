#pragma once
// NCCL's algorithms. To add one, write its source in kinds/, declare it here and add its row.

#include <array>

#include "sim/plan/collectives/nccl/algorithm_model.hpp"

namespace fabricast::inline collectives::nccl {

extern const AlgorithmModel tree_model, ring_model, collnet_direct_model, collnet_chain_model, nvls_model,
    nvls_tree_model, pat_model;

inline Algorithms all_algorithms() {
    static constexpr std::array rows{
        &tree_model,      &ring_model, &collnet_direct_model, &collnet_chain_model, &nvls_model,
        &nvls_tree_model, &pat_model};
    return rows;
}

}  // namespace fabricast::inline collectives::nccl
