#pragma once
// The trays of a node: what stays joined without NVLink between GPUs. A server is one tray; a rack such as GB200 NVL72
// is 18 trays of 4 GPUs and 4 adapters (NVIDIA DGX SuperPOD, reference architecture featuring DGX GB200, "Network
// Fabrics"), and no PCIe leads from one to another. A rail is an adapter's place in its tray: four.

#include <cstdint>
#include <vector>

#include "topologies/cluster.hpp"

namespace fabricast {

struct Trays {
    Trays() = default;
    // Trays with different numbers of adapters have no common rails: such a node counts as one tray.
    explicit Trays(const NodeTemplate& node);

    std::uint32_t count = 1;                      // those with adapters
    std::uint32_t rails = 0;                      // adapters of each
    std::vector<std::uint16_t> tray_of, rail_of;  // of each adapter
    std::vector<std::uint16_t> adapters;          // rail r of tray t at t * rails + r
    std::vector<std::uint16_t> tray_of_gpu;       // `count`: of none that has adapters

    // The adapter beside `own`, in the same tray, on the rail of `other`.
    std::uint16_t on_rail_of(std::uint16_t own, std::uint16_t other) const {
        return adapters[tray_of[own] * rails + rail_of[other]];
    }
};

// The same cluster as its network sees it: each tray a node, with the adapters of its rails. Only counts are kept.
Cluster tray_by_tray(const Cluster& cluster, const Trays& trays);

}  // namespace fabricast
