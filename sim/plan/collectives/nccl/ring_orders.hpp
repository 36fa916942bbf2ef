#pragma once
// In which order a ring visits the GPUs of a node, and through which NIC it comes in and leaves.

#include <cstdint>
#include <vector>

#include "sim/plan/collectives/nccl/node_bandwidths.hpp"

namespace fabricast::nccl {

// A searched ring: the GPUs of a node in order; between nodes it comes in through `nic` (its rail) and leaves through
// `exit_nic`, the same unless NICs are crossed. Where every other node runs its partner's order (`odd_order`, in by
// `exit_nic` and out by `nic`), it stays on two rails in turn.
struct Ring {
    std::vector<std::uint16_t> order;
    std::uint16_t nic = 0, exit_nic = 0;
    std::vector<std::uint16_t> odd_order = {};
    friend bool operator==(const Ring&, const Ring&) = default;
};

// How a ring leaves a node: by its own rail, by the NIC nearest to its last GPU that has room (NCCL_CROSS_NIC=1), or
// two by two by each other's rail (2, where it cannot leave by its own over NVLink).
enum class Exit : std::uint8_t { own_rail, nearest, in_pairs };

// One for each channel of this speed: the identity on NVSwitch and PCIe nodes, turned to the rail; a Hamiltonian cycle
// each on meshes.
std::vector<Ring> ring_orders(const NodeBandwidths& node, int channels, double speed, Exit exit = Exit::own_rail);

}  // namespace fabricast::nccl
