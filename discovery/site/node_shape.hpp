#pragma once
// The inside of a host as a node template: which devices, which links, in the words of topologies/nodes/*.yaml.

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "discovery/observation.hpp"
#include "discovery/site/device_parts.hpp"
#include "models/catalog.hpp"

namespace fabricast::inline site {

struct ShapeCable {
    std::string from, to, link;
    int count = 1;
    auto operator<=>(const ShapeCable&) const = default;
};

struct NodeShape {
    PartFound gpu, cpu, nic;
    std::size_t gpus = 0, nics = 0;
    int ports = 1;
    bool peers = true;                                         // the GPU's driver allows PCIe traffic between peers
    bool gpu_direct = true;                                    // some GPU and some NIC have GPUDirect RDMA
    bool infiniband = false;                                   // by the class of its adapters
    std::string port;                                          // link of a NIC's port
    std::vector<std::pair<std::string, std::string>> devices;  // name and part; CPUs have none
    std::vector<ShapeCable> cables;
    std::string mesh_link;
    std::vector<std::vector<int>> mesh;  // NVLinks between GPUs
    // For each NIC of the shape, the NIC that the file lists.
    std::vector<NicSeen> nic_of;
    std::vector<std::string> bus_of_gpu;
    std::vector<std::string> notes;  // what was decided, for the comments
};

// Leaves out the adapters that `kept` does not want; the others get new numbers.
void keep_nics(NodeShape& shape, const std::function<bool(std::size_t)>& kept);

// A node's shape while it is made: its ends in order and its sockets. Where each end hangs is added by
// pci_placement.hpp, NVLinks by nvlink_cables.hpp.
struct ShapeDraft {
    const NodeSeen& node;
    const Catalog& catalog;
    std::vector<GpuSeen> gpus{};
    std::vector<NicSeen> nics{};
    std::map<std::string, const PciSeen*> by_bus{};
    std::map<int, int> socket_of{};  // by NUMA domain
    NodeShape shape{};

    std::string cpu_of(int numa) const;
    const PciSeen* pci(const std::string& bus) const;  // null: unknown
};

std::string pcie_name(int generation, int width);
// The PCIe link that a part has; x16 of the fifth generation where it has none, or one of another kind.
std::string host_link(const Catalog& catalog, std::string_view kind, const std::string& part);

}  // namespace fabricast::inline site
