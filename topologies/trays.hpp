#pragma once
// The trays of a node: the parts that remain connected without the NVLinks between GPUs. A server is one tray; a rack
// such as GB200 NVL72 has 18 trays of 4 GPUs and 4 adapters (NVIDIA DGX SuperPOD, reference architecture featuring DGX
// GB200, "Network Fabrics"), no PCIe between trays. A rail is an adapter's index in its tray, so this rack has four.

#include <cstdint>
#include <vector>

#include "topologies/cluster.hpp"

namespace fabricast::inline topologies {

struct Trays {
    Trays() = default;
    // If trays have different numbers of adapters, they have no common rails, and the node counts as one tray.
    explicit Trays(const NodeTemplate& node);

    std::uint32_t count = 1;                      // trays with adapters
    std::uint32_t rails = 0;                      // adapters per tray
    std::vector<std::uint16_t> tray_of, rail_of;  // by adapter
    std::vector<std::uint16_t> adapters;          // rail r of tray t at t * rails + r
    std::vector<std::uint16_t> tray_of_gpu;       // by GPU; `count` if its tray has no adapters

    // The adapter in the tray of `own` that is on the rail of `other`.
    std::uint16_t on_rail_of(std::uint16_t own, std::uint16_t other) const {
        return adapters[tray_of[own] * rails + rail_of[other]];
    }
};

// The same cluster as the network sees it: each tray is a node with its adapters. Contains only counts, no devices.
Cluster tray_by_tray(const Cluster& cluster, const Trays& trays);

}  // namespace fabricast::inline topologies
