#pragma once
// In which order a ring visits the GPUs of a node, and through which NIC it comes in and leaves.

#include <cstdint>
#include <vector>

#include "sim/collectives/nccl/counted_node.hpp"

namespace fabricast::nccl {

// A searched ring: the GPUs of a node in order; between nodes it comes in and leaves through `nic` (its rail).
struct Ring {
    std::vector<std::uint16_t> order;
    std::uint16_t nic = 0;
    friend bool operator==(const Ring&, const Ring&) = default;
};

// One for each channel of this speed: the identity on NVSwitch and PCIe nodes, turned to the rail; a Hamiltonian cycle
// each on meshes.
std::vector<Ring> ring_orders(const CountedNode& node, int channels, double speed);

}  // namespace fabricast::nccl
