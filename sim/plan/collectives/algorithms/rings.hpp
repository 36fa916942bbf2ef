#pragma once
// Programs of rings.

#include "sim/plan/collectives/algorithms/program.hpp"

namespace fabricast {

// Rings: pieces = ranks, piece p ends complete at rank p in reduce-scatter and starts there in all-gather.
Program ring_reduce_scatter(std::uint32_t ranks);
Program ring_all_gather(std::uint32_t ranks);
Program ring_all_reduce(std::uint32_t ranks);
// Chains along the ring from or to `root`, `pieces` at a time.
Program ring_broadcast(std::uint32_t ranks, std::uint32_t root, std::uint32_t pieces);
Program ring_reduce(std::uint32_t ranks, std::uint32_t root, std::uint32_t pieces);

// Pieces = ranks. Shift: piece r from rank r to the next.
Program shift(std::uint32_t ranks);
// Reduce-scatter inside each node, ring all-reduce between equal local ranks, all-gather inside.
Program hierarchical_all_reduce(std::uint32_t nodes, std::uint32_t per_node);

}  // namespace fabricast
