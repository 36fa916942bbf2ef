#pragma once
// PAT, for one GPU per node. There are no published measurements of it, so its forecasts rest on the formula only.

#include "sim/plan/collectives/nccl/algorithm_model.hpp"

namespace fabricast::inline collectives::nccl {

extern const AlgorithmModel pat_model;

}  // namespace fabricast::inline collectives::nccl
