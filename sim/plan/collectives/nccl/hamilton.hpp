#pragma once
// Rings through an NVLink mesh: as many directed Hamiltonian cycles as the links can carry at once.

#include <cstdint>
#include <vector>

namespace fabricast::inline collectives::nccl {

// `capacity[a * n + b]` is how many rings may use the edge a -> b. Returns at most `most` cycles, each starting at 0;
// the largest set found within a fixed number of steps, which is the optimum for the meshes that exist. Deterministic.
std::vector<std::vector<std::uint16_t>> hamiltonian_rings(std::uint32_t n, std::vector<int> capacity, int most);

// A path from `first` through all nodes to `last` over edges with capacity left, lowest indices first; empty: none.
std::vector<std::uint16_t> hamiltonian_path(std::uint32_t n, const std::vector<int>& capacity, std::uint16_t first,
                                            std::uint16_t last);

}  // namespace fabricast::inline collectives::nccl
