#pragma once
// Programs of ring algorithms.

#include "sim/plan/collectives/algorithms/program.hpp"

namespace fabricast {

// Rings of as many pieces as ranks: piece p ends complete at rank p in reduce-scatter and starts there in all-gather.
Program ring_reduce_scatter(std::uint32_t ranks);
Program ring_all_gather(std::uint32_t ranks);
Program ring_all_reduce(std::uint32_t ranks);
// Chains along the ring from or to `root`; the data are cut into `pieces`.
Program ring_broadcast(std::uint32_t ranks, std::uint32_t root, std::uint32_t pieces);
Program ring_reduce(std::uint32_t ranks, std::uint32_t root, std::uint32_t pieces);

// As many pieces as ranks: rank r sends piece r to the next rank.
Program shift(std::uint32_t ranks);
// Reduce-scatter inside each node, ring all-reduce between the GPUs of equal local rank, all-gather inside each node.
Program hierarchical_all_reduce(std::uint32_t nodes, std::uint32_t per_node);

}  // namespace fabricast
