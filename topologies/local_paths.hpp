#pragma once
// The inside of a node, worked out once per template: devices and directed links by small index, and for each pair of
// devices the links between them, as NCCL would take them. A cluster of any size holds one of these.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topologies/paths.hpp"

namespace fabricast {

struct LocalDevice {
    std::string name;  // "gpu3", "nic0", "cpu1", "memory0", "switch2", "nvswitch"
    DeviceKind kind = DeviceKind::gpu;
    std::uint32_t index = 0;  // the number in the name
    Duration latency;
    double duplex_capacity = 0;
};

struct LocalLink {
    std::uint16_t from = 0, to = 0;  // devices
    LinkInfo info;
    int cables = 1;
    bool nvlink = false;    // between GPUs and NVSwitches
    bool resource = false;  // a service shared by both directions of a cable, or of all through a device (from == to)
};

// The links between two devices of a node, in order; `found` is false where nothing joins them.
struct LocalPath {
    std::uint32_t first = 0;  // into the pool
    std::uint16_t count = 0;
    bool found = false;
    Duration latency;
};

struct NodeGraph {
    std::vector<LocalDevice> devices;  // GPUs, NICs, then the others as listed
    std::vector<LocalLink> links;      // both directions of each cable; then the shared resources
    std::size_t gpus = 0, ends = 0;    // GPUs; GPUs and NICs together
    std::vector<std::uint16_t> pool;
    std::vector<LocalPath> best_paths, nvlink_paths, pcie_paths, staged_paths;
    std::vector<std::vector<std::uint16_t>> near_nics;  // of each GPU: those at the least distance
    std::vector<std::uint16_t> nearest_nic;             // the one of them that NCCL gives to this GPU

    // What NCCL would take between any two devices. To a NIC behind the CPU: over NVLink through the GPU beside that
    // NIC (PXN) where there is one.
    const LocalPath& best(std::size_t from, std::size_t to) const { return best_paths[from * devices.size() + to]; }
    // Between GPUs: NVLink only, also through one GPU between (NVB).
    const LocalPath& nvlink(std::size_t from, std::size_t to) const { return nvlink_paths[from * gpus + to]; }
    // Between GPUs and NICs (GPUs first): over PCIe and the host bridges.
    const LocalPath& pcie(std::size_t from, std::size_t to) const { return pcie_paths[from * ends + to]; }
    // The same, written to host memory and read back: beside the receiving GPU, or the one GPU of the two ends.
    const LocalPath& staged(std::size_t from, std::size_t to) const { return staged_paths[from * ends + to]; }

    std::span<const std::uint16_t> span(const LocalPath& path) const { return {pool.data() + path.first, path.count}; }
    std::optional<std::uint16_t> device(std::string_view name) const;
    // How many host bridges (CPUs) a path passes; the measure of PIX/PXB against PHB against SYS.
    int bridges_crossed(const LocalPath& path) const;
};

}  // namespace fabricast
