#pragma once
// The inside of a host as a node template: which devices, which links, in the words of topologies/nodes/*.yaml.

#include <functional>
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
    bool infiniband = false;                                   // by the class of its adapters
    std::string port;                                          // link of a NIC's port
    std::vector<std::pair<std::string, std::string>> devices;  // name and part; CPUs have none
    std::vector<ShapeCable> cables;
    std::string mesh_link;
    std::vector<std::vector<int>> mesh;  // NVLinks between GPUs
    // For each NIC, the one in the file that it is.
    std::vector<NicSeen> nic_of;
    std::vector<std::string> bus_of_gpu;
    std::vector<std::string> notes;  // what was decided, for the comments
};

// Leaves out the adapters that `kept` does not want; the others get new numbers.
void keep_nics(NodeShape& shape, const std::function<bool(std::size_t)>& kept);

}  // namespace fabricast::inline site
