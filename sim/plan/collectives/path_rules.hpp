#pragma once
// Where NCCL's settings send the bytes of a hop, and how many pass there.

#include <optional>
#include <string_view>
#include <vector>

#include "sim/plan/collectives/nccl/environment.hpp"
#include "sim/plan/collectives/nccl/locality.hpp"
#include "topologies/fabric.hpp"

namespace fabricast::inline collectives {

// How NCCL's settings route connections: GPUs of a node that may not map each other's memory go through the host;
// without PXN nothing is forwarded over NVLink to a far NIC.
struct PathRules {
    Fabric fabric;
    std::vector<nccl::Locality> of_runs;  // of each run of equal nodes
    std::optional<nccl::PeerLevel> peers;
    bool pxn = true;

    const nccl::Locality& places(std::uint32_t node) const { return of_runs[fabric.run_of(fabric.wired_node(node))]; }
    // The nearest path type by which one GPU of a node reaches another: over NVLink, over NVLink through a third GPU,
    // over PCIe.
    nccl::PeerLevel level(std::uint32_t node, std::uint32_t a, std::uint32_t b) const;
    // The way that a connection takes by these settings.
    PathQuery applied(PathQuery query) const;
};

// Line rate of one NIC, all its ports, in bytes per second; 0 on one node. A fabric drawn by hand has no common link:
// there it is the rate of the path to the next node.
double nic_rate(const Fabric& fabric);

// Of the path's links, in payload bytes per second; infinite if it has none.
double narrowest(const Fabric& fabric, const Path& path);

// Throws PlanError if GPUs of a node may not map each other's memory and share no host memory (trays of one rack).
// Without NVLink NCCL would use the network there, which is not modelled inside a node.
void check_peers(const PathRules& rules);

// Whether NICs read and write GPU memory: where the node can, and some NIC has a GPU no farther than `level`,
// NCCL_NET_GDR_LEVEL (src/graph/paths.cc, ncclTopoCheckGdr). NCCL decides for each pair, and its search prefers near
// ones.
bool uses_gpu_direct(const PathRules& rules, nccl::PeerLevel level);

// As inside_of, with NCCL's settings of how far peers reach: "pcie-host" if a hop of a ring by index goes by the host.
std::string_view inside_by(const PathRules& rules);

}  // namespace fabricast::inline collectives
