#pragma once
// A node's shape while it is made: its ends in order and its sockets. Where each end hangs is added by one of
// pci_placement.hpp and pair_placement.hpp, NVLinks by nvlink_cables.hpp.

#include <map>
#include <string>
#include <vector>

#include "discovery/site/node_shape.hpp"

namespace fabricast::inline site {

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
