#pragma once
// Reduction and multicast in the NVSwitch: in one node, and with trees between the nodes.

#include "sim/plan/collectives/nccl/algorithm_model.hpp"

namespace fabricast::inline collectives::nccl {

extern const AlgorithmModel nvls_model, nvls_tree_model;

}  // namespace fabricast::inline collectives::nccl
