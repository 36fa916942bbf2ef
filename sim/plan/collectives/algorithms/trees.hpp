#pragma once
// Programs of tree algorithms, and of algorithms that exchange over doubling distances.

#include "sim/plan/collectives/algorithms/program.hpp"

namespace fabricast {

// Sorts messages by step; keeps the order within a step.
void sort_by_step(Program& program);

// Two mirrored binary trees: even pieces take the first one, odd pieces the second.
Program double_tree_all_reduce(std::uint32_t ranks, std::uint32_t pieces);

// Every step exchanges all pieces, over doubling distances; the ranks beyond the largest power of two first fold onto a
// neighbour.
Program recursive_doubling_all_reduce(std::uint32_t ranks);
// Halving reduce-scatter, then doubling all-gather, over the largest power of two (Rabenseifner).
Program halving_doubling_all_reduce(std::uint32_t ranks);

// PAT: each piece along its own binomial tree, far distances first; works for any number of ranks, in log2(ranks)
// steps.
Program pat_all_gather(std::uint32_t ranks);
Program pat_reduce_scatter(std::uint32_t ranks);

}  // namespace fabricast
