#pragma once
// What NCCL's topology search finds on a node: ring orders and their NICs, channels and their speeds, NVLS heads. NCCL
// searches its graph with a time limit; here NVSwitch and PCIe nodes are computed from the same speed lists and rules,
// and only NVLink meshes are searched. Source: NVIDIA/nccl src/graph/search.cc, connect.cc, paths.cc.

#include <cstdint>
#include <vector>

#include "sim/plan/collectives/nccl/environment.hpp"
#include "sim/plan/collectives/nccl/release.hpp"
#include "sim/plan/collectives/nccl/ring_orders.hpp"
#include "sim/plan/collectives/nccl/tuning.hpp"
#include "topologies/cluster.hpp"

namespace fabricast::inline collectives::nccl {

struct TopologySearchResult {
    std::vector<Ring> rings;                 // one per searched channel; execution channel c runs on rings[c % size]
    std::vector<std::vector<Ring>> of_runs;  // the same of each run of equal nodes; empty: all nodes are alike
    const std::vector<Ring>& rings_of(std::uint32_t run) const { return of_runs.empty() ? rings : of_runs[run]; }
    Graph ring, nvls;                            // NVLS has a channel for each head
    Graphs graphs;                               // of every algorithm
    int channels = 0;                            // execution channels of rings and trees
    int nvls_channels = 0;                       // execution channels of NVLS; 0: no NVLS
    int nvls_own_channels = 0;                   // as many as the release takes if nobody asks for others
    double nvls_chunk = 0, nvls_tree_chunk = 0;  // bytes, of NVLS, and at most of NVLSTree; 0: as usual
    int p2p_channels = 0, p2p_channels_per_peer = 0;
    bool nvlink = false;              // every ring hop inside a node is NVLink
    std::vector<std::uint16_t> nics;  // the rails in use
};

// Precondition: gpus >= 1, nodes >= 1, and at least one NIC if nodes > 1. `port` is one NIC's line rate (all its
// ports), in bytes per second and direction.
TopologySearchResult search(Algorithms algorithms, const NodeTemplate& node, std::uint32_t gpus, std::uint32_t nodes,
                            double port, const Release& release, const Environment& environment);

// What a communicator over nodes of several kinds has: of channels, speeds and what an algorithm needs the least of all
// nodes', which exchange what they found (src/init.cc, initTransportsRank). Each keeps its own rings.
void lower_to(const TopologySearchResult& other, TopologySearchResult& found);

}  // namespace fabricast::inline collectives::nccl
