#pragma once
// The order in which a ring visits the GPUs of a node, and the NICs through which it comes in and leaves.

#include <cstdint>
#include <vector>

#include "sim/plan/collectives/nccl/node_bandwidths.hpp"

namespace fabricast::inline collectives::nccl {

// A searched ring: the GPUs of a node in order; between nodes it comes in through `nic` (its rail) and leaves through
// `exit_nic`, which is the same NIC unless NICs are crossed. If `odd_order` is not empty, every other node uses that
// order, comes in through `exit_nic` and leaves through `nic`, so that the ring uses two rails in turn.
struct Ring {
    std::vector<std::uint16_t> order;
    std::uint16_t nic = 0, exit_nic = 0;
    std::vector<std::uint16_t> odd_order = {};
    friend bool operator==(const Ring&, const Ring&) = default;
};

// How a ring leaves a node: by its own rail, by the NIC nearest to its last GPU that has room (NCCL_CROSS_NIC=1), or in
// pairs of rings, each by the other's rail (NCCL_CROSS_NIC=2, if it cannot leave by its own over NVLink).
enum class Exit : std::uint8_t { own_rail, nearest, in_pairs };

// One ring for each channel of this speed. On NVSwitch and PCIe nodes it visits the GPUs in index order, beginning at
// the rail's GPU; on meshes each ring is a Hamiltonian cycle, and bridged cards are searched (pcie_rings.hpp).
std::vector<Ring> ring_orders(const NodeBandwidths& node, int channels, double speed, Exit exit = Exit::own_rail);

}  // namespace fabricast::inline collectives::nccl
