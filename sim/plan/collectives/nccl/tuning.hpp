#pragma once
// NCCL's tuning model: the time that NCCL itself expects for every (algorithm, protocol), which decides its choice. The
// model chooses well, but its times are inaccurate (docs/collectives.md): fabricast chooses with it and times the
// choice on the fabric.
// Source of all formulas: NVIDIA/nccl src/graph/tuning.cc and src/enqueue.cc at the tag of the version.

#include <array>
#include <cstdint>
#include <vector>

#include "sim/plan/collectives/nccl/release.hpp"

namespace fabricast::nccl {

// What the topology search found for one algorithm.
struct Graph {
    int channels = 0;             // 0: the algorithm cannot run here
    double intra = 0, inter = 0;  // bytes per second and channel
    double latency_inter = 0;     // seconds, as the network plugin reports it
    bool same_channels = true;
    bool simple_tree = false;  // NCCL's pattern "tree": one GPU of the node holds parent and both children
};
using Graphs = std::array<Graph, algo_count>;

enum class CpuVendor : std::uint8_t { intel, amd, other };

// What the model knows of the communicator.
struct Communicator {
    std::uint32_t ranks = 1, nodes = 1;
    int compute_capability = 90;
    CpuVendor cpu = CpuVendor::intel;
    bool nvlink = true;  // hops inside a node are NVLink; else PCIe
    bool ll128 = true;   // LL128 is safe on these paths
    bool nvls = false;   // the switch can multicast and reduce
    bool nvswitch = false;
    bool collnet = false;  // a network that reduces (SHARP)
};

// Which algorithms and protocols may be chosen; NCCL_ALGO and NCCL_PROTO restrict this.
struct Allowed {
    std::array<bool, algo_count> algo{true, true, true, true, true, true, true};
    std::array<bool, proto_count> proto{true, true, true};
    bool ll128_by_name = false;  // LL128 was asked for by name: allowed even if it is off by default
};

struct Estimate {
    Algo algo = Algo::ring;
    Proto proto = Proto::simple;
    double seconds = 0;
};

// NCCL's time for `bytes` (nccl-tests size) with each (algorithm, protocol) that can run, in NCCL's order. `collective`
// is all_reduce, all_gather, reduce_scatter, broadcast or reduce.
std::vector<Estimate> estimates(const Release& release, const Communicator& comm, const Graphs& graphs,
                                Collective collective, double bytes, DataType dtype = DataType::float32,
                                const Allowed& allowed = {});

// The fastest estimate, the first of several equal ones. Throws PlanError if none can run.
Estimate choose(const std::vector<Estimate>& estimates);

}  // namespace fabricast::nccl
