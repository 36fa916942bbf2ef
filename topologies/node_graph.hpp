#pragma once
// The inside of a node, computed once per template: devices and directed links by small index, and for each pair of
// devices the links that NCCL would use between them. A cluster of any size has only one of these.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "topologies/cluster.hpp"
#include "topologies/paths.hpp"

namespace fabricast::inline topologies {

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
    bool nvlink = false;    // joins GPUs and NVSwitches
    bool resource = false;  // no cable but capacity shared by both directions of a cable, or by all traffic through a
                            // device (from == to)
};

// The links between two devices of a node, in order; `found` is false if there is no path.
struct LocalPath {
    std::uint32_t first = 0;  // index into NodeGraph::pool
    std::uint16_t count = 0;
    bool found = false;
    Duration latency;
};

struct NodeGraph {
    std::vector<LocalDevice> devices;  // GPUs, NICs, then the others in the template's order
    std::vector<LocalLink> links;      // both directions of each cable; then the shared resources
    std::size_t gpus = 0, ends = 0;    // number of GPUs; of GPUs and NICs together
    std::vector<std::uint16_t> pool;
    std::vector<LocalPath> best_paths, nvlink_paths, pcie_paths, staged_paths;
    std::vector<std::vector<std::uint16_t>> near_nics;  // for each GPU: the NICs at the least distance
    std::vector<std::uint16_t> nearest_nic;             // for each GPU: the one of them that NCCL gives to it

    // The path that NCCL would use between any two devices. To a NIC on the other side of a CPU: over NVLink through a
    // GPU near that NIC (PXN), if there is one.
    const LocalPath& best(std::size_t from, std::size_t to) const { return best_paths[from * devices.size() + to]; }
    // Between GPUs: only over NVLink, possibly through one other GPU (NVB).
    const LocalPath& nvlink(std::size_t from, std::size_t to) const { return nvlink_paths[from * gpus + to]; }
    // Between GPUs and NICs (GPUs are numbered first): over PCIe and the host bridges.
    const LocalPath& pcie(std::size_t from, std::size_t to) const { return pcie_paths[from * ends + to]; }
    // The same, but written to host memory and read back: the nearest to `to` if that is a GPU, else to `from`.
    const LocalPath& staged(std::size_t from, std::size_t to) const { return staged_paths[from * ends + to]; }

    std::span<const std::uint16_t> span(const LocalPath& path) const { return {pool.data() + path.first, path.count}; }
    std::optional<std::uint16_t> device(std::string_view name) const;
    // The number of host bridges (CPUs) that a path passes; distinguishes NCCL's PIX/PXB, PHB and SYS.
    int bridges_crossed(const LocalPath& path) const;
};

// The shared resources that a path crosses beside its cables, by device and by link: capacity of both directions.
struct SharedResources {
    static constexpr std::uint16_t none = 0xffff;
    std::vector<std::uint16_t> of_device, of_link;
};

// The devices and links of a template, without paths: node_paths.hpp adds them. Throws ClusterError for cables to
// unknown devices, duplicate names and devices of unknown kind.
std::pair<NodeGraph, SharedResources> make_node_graph(const NodeTemplate& node);

}  // namespace fabricast::inline topologies
