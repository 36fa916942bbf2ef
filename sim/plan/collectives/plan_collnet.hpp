#pragma once
// CollNet: the network's switches reduce. There are no published measurements of it, so its forecasts rest on the
// formula only.

#include "sim/plan/collectives/nccl/algorithm_model.hpp"

namespace fabricast::inline collectives::nccl {

extern const AlgorithmModel collnet_direct_model, collnet_chain_model;

}  // namespace fabricast::inline collectives::nccl
