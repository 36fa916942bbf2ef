#pragma once
// How near GPUs and NICs of a node are to each other, in NCCL's terms, from the node's wiring.

#include <cstdint>
#include <vector>

#include "sim/plan/collectives/nccl/release.hpp"
#include "topologies/cluster.hpp"

namespace fabricast::inline collectives::nccl {

// NCCL's PCIe path types, nearest first: through one switch, several switches, one host bridge, across CPUs; no path.
enum class PciePath : std::uint8_t { pix, pxb, phb, sys, dis };

struct Locality {
    std::uint32_t gpus = 0, nics = 0;
    std::vector<int> nvlinks;                // gpus x gpus: direct NVLinks between two GPUs (0 through a switch)
    std::vector<PciePath> gpu_to_gpu;        // gpus x gpus
    std::vector<PciePath> gpu_to_nic;        // gpus x nics
    std::vector<std::uint32_t> nearest_gpu;  // of each NIC; NICs at equal distances are shared out over the GPUs
    bool crosses_cpus = false;               // some GPU pair is SYS

    int links(std::uint32_t a, std::uint32_t b) const { return nvlinks[a * gpus + b]; }
    PciePath pcie(std::uint32_t a, std::uint32_t b) const { return gpu_to_gpu[a * gpus + b]; }
    PciePath nic_path(std::uint32_t gpu, std::uint32_t nic) const { return gpu_to_nic[gpu * nics + nic]; }
};

// Whether LL128's stores arrive whole at this NIC from this GPU (src/graph/tuning.cc, ncclTopoTuneModel): within PCIe
// switches, or over a Grace's C2C where the release trusts it.
bool keeps_ll128(const NodeTemplate& node, const Locality& places, const Release& release, std::uint32_t gpu,
                 std::uint32_t nic);

// Describes the first `gpus` GPUs of the node.
Locality locality(const NodeTemplate& node, std::uint32_t gpus);

// A cable of the node, by its place in the list, from its first end to its second or backwards.
struct CableWay {
    std::size_t cable = 0;
    bool backwards = false;
};

// The cables by which each GPU reaches each other over PCIe and CPUs, gpus x gpus, the last first; none: no way.
std::vector<std::vector<CableWay>> pcie_ways(const NodeTemplate& node, std::uint32_t gpus);

}  // namespace fabricast::inline collectives::nccl
