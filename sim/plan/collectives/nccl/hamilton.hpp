#pragma once
// Rings through an NVLink mesh: as many directed Hamiltonian cycles as the links can carry at once.

#include <cstdint>
#include <vector>

namespace fabricast::nccl {

// `capacity[a * n + b]` is how many rings may use the edge a -> b. Returns at most `most` cycles, each starting at 0;
// the largest set found within a fixed number of steps (exact for the meshes that exist). Deterministic.
std::vector<std::vector<std::uint16_t>> hamiltonian_rings(std::uint32_t n, std::vector<int> capacity, int most);

// One way from `first` through all to `last` over edges with room, or nothing. Deterministic: lowest indices first.
std::vector<std::uint16_t> hamiltonian_path(std::uint32_t n, const std::vector<int>& capacity, std::uint16_t first,
                                            std::uint16_t last);

}  // namespace fabricast::nccl
