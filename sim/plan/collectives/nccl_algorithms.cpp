#include "sim/plan/collectives/nccl_algorithms.hpp"

#include <array>

#include "sim/plan/collectives/plan_collnet.hpp"
#include "sim/plan/collectives/plan_nvls.hpp"
#include "sim/plan/collectives/plan_pat.hpp"
#include "sim/plan/collectives/plan_ring.hpp"
#include "sim/plan/collectives/plan_tree.hpp"

namespace fabricast::inline collectives::nccl {

Algorithms all_algorithms() {
    static constexpr std::array rows{
        &tree_model,      &ring_model, &collnet_direct_model, &collnet_chain_model, &nvls_model,
        &nvls_tree_model, &pat_model};
    return rows;
}

}  // namespace fabricast::inline collectives::nccl
