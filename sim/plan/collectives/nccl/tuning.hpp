#pragma once
// NCCL's tuning model: the time that NCCL itself expects for every (algorithm, protocol), which decides its choice. The
// model chooses well, but its times are inaccurate (docs/collectives.md): fabricast chooses with it and times the
// choice on the fabric.
// The formulas of one algorithm are in its source in kinds/. Source of all: NVIDIA/nccl src/graph/tuning.cc and
// src/enqueue.cc at the tag of the version.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include "sim/plan/collectives/nccl/algorithm_model.hpp"
#include "sim/plan/collectives/nccl/release.hpp"

namespace fabricast::inline collectives::nccl {

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
    bool collnet = false;       // a network that reduces (SHARP)
    double plugin_latency = 0;  // seconds, which the network plugin states for its NICs
};

// Which algorithms and protocols may be chosen; NCCL_ALGO and NCCL_PROTO restrict this.
struct Allowed {
    std::set<std::string_view> refused;  // algorithms, by key
    std::array<bool, every_proto.size()> proto{true, true, true};
    bool ll128_by_name = false;  // LL128 was asked for by name: allowed even if it is off by default

    // Refuses every algorithm that `keep` does not want.
    template <class Keep> void keep_only(Algorithms algorithms, Keep&& keep) {
        for (const AlgorithmModel* algorithm : algorithms) {
            keep(*algorithm) ? (void)refused.erase(algorithm->key) : (void)refused.insert(algorithm->key);
        }
    }
};

// What one estimate depends on, and the terms that the algorithms' formulas share.
struct TuningCase {
    const Release& release;
    const Communicator& comm;
    const Graph& graph;  // of the algorithm
    Collective collective;
    std::string_view key;  // of the algorithm

    double ranks() const { return comm.ranks; }
    double nodes() const { return comm.nodes; }
    double per_node() const { return ranks() / nodes(); }
    bool several() const { return comm.nodes > 1; }
    std::size_t column() const { return std::min(comm.nodes, 3U) - 1; }
    Generation gpu() const { return generation(comm.compute_capability); }
    // A figure of the release by this system's GPU and number of nodes.
    double of_system(std::string_view figure) const { return release.item_of(figure, gpu(), column()); }
    bool all_reduce() const { return collective == Collective::all_reduce; }
    bool gathers() const { return collective == Collective::all_gather || collective == Collective::reduce_scatter; }
    double log2_nodes() const { return std::bit_width(comm.nodes) - 1; }
    double steps() const { return all_reduce() ? 2 * (ranks() - 1) : gathers() ? ranks() - 1 : ranks(); }
    // The latency of a hop over `wire` (nvlink, pci, net).
    double hop(std::string_view wire, std::string_view algorithm, Proto proto) const;
    std::string_view inside() const { return comm.nvlink ? "nvlink" : "pci"; }

    // Rate of all channels together if each has this one.
    double bus(double channel) const;
    double bus() const { return bus(comm.nodes <= 2 ? graph.intra : graph.inter); }
    double ll_limit() const;
    double ll128_channel_limit(std::string_view figure) const;
    // What the bandwidth of a call of this size is multiplied by on a tree, and on a ring (1 in NCCL).
    double correction(std::string_view algorithm, Proto proto, double bytes) const;
    // Seconds once a call, and for a hop inside a node and between nodes.
    struct Latency {
        double base = 0, intra = 0, inter = 0;
    };
    Latency latency(Proto proto) const;
    // The time of `bytes` bytes at this rate of the caller's buffer, over all channels.
    static double seconds(double latency, double rate, double bytes) {
        return rate > 0 ? latency + bytes / rate : std::numeric_limits<double>::infinity();
    }
};

struct Estimate {
    const AlgorithmModel* algorithm = nullptr;
    Proto proto = Proto::simple;
    double seconds = 0;
};

// NCCL's time for `bytes` (nccl-tests size) with each (algorithm, protocol) that can run, in NCCL's order. `collective`
// is all_reduce, all_gather, reduce_scatter, broadcast or reduce.
std::vector<Estimate> estimates(Algorithms algorithms, const Release& release, const Communicator& comm,
                                const Graphs& graphs, Collective collective, double bytes,
                                DataType dtype = DataType::float32, const Allowed& allowed = {});

// RCCL chooses the algorithm by its estimates, and then the protocol between nodes by the size alone: by the whole
// buffer for all-reduce, by one rank's share for all-gather and reduce-scatter (rcclUpdateCollectiveProtocol). `chosen`
// where the release has no such ranges, or where the protocol was asked for.
Proto protocol_by_size(const Release& release, const Communicator& comm, Collective collective, double bytes,
                       const Allowed& allowed, Proto chosen);

// The fastest estimate, the first of several equal ones. Throws PlanError if none can run.
Estimate choose(const std::vector<Estimate>& estimates);

}  // namespace fabricast::inline collectives::nccl
