#pragma once
// Programs of trees, and of ranks at doubling distances.

#include "sim/plan/collectives/algorithms/program.hpp"

namespace fabricast {

// Orders messages by step, keeping the order within one.
void sort_by_step(Program& program);

// Two mirrored binary trees, even pieces on the first, odd ones on the second.
Program double_tree_all_reduce(std::uint32_t ranks, std::uint32_t pieces);

// All pieces in every step over doubling distances; ranks beyond a power of two fold onto a neighbour first.
Program recursive_doubling_all_reduce(std::uint32_t ranks);
// Halving reduce-scatter, then doubling all-gather, over the largest power of two (Rabenseifner).
Program halving_doubling_all_reduce(std::uint32_t ranks);

// PAT: each piece along its own binomial tree, far distances first; works for every count of ranks in log2 steps.
Program pat_all_gather(std::uint32_t ranks);
Program pat_reduce_scatter(std::uint32_t ranks);

}  // namespace fabricast
