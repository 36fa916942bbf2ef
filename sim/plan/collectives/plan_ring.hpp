#pragma once
// Rings: all-reduce, all-gather and reduce-scatter as cyclic pipelines, broadcast and reduce as chains.

#include "sim/plan/collectives/nccl/algorithm_model.hpp"

namespace fabricast::inline collectives::nccl {

extern const AlgorithmModel ring_model;

}  // namespace fabricast::inline collectives::nccl
