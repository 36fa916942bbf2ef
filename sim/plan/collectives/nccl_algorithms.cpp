#include "sim/plan/collectives/nccl_algorithms.hpp"

#include <array>

namespace fabricast::inline collectives::nccl {

Algorithms all_algorithms() {
    static constexpr std::array rows{
        &tree_model,      &ring_model, &collnet_direct_model, &collnet_chain_model, &nvls_model,
        &nvls_tree_model, &pat_model};
    return rows;
}

}  // namespace fabricast::inline collectives::nccl
