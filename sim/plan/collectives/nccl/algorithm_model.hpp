#pragma once
// One of NCCL's algorithms: its names, when it runs, the time that NCCL expects for it, its channels, and its plan.
// Each is a source in kinds/ and a row in nccl_algorithms.hpp.

#include <map>
#include <span>
#include <string_view>

#include "sim/plan/collectives/nccl/names.hpp"

namespace fabricast::inline engine_common {
class Schedule;
}

namespace fabricast::inline collectives {
struct Call;
struct LoweredCall;
}  // namespace fabricast::inline collectives

namespace fabricast::inline collectives::nccl {

struct NodeBandwidths;
struct TopologySearchResult;
struct TuningCase;

// What the topology search found for one algorithm.
struct Graph {
    int channels = 0;             // 0: the algorithm cannot run here
    double intra = 0, inter = 0;  // bytes per second and channel
    bool same_channels = true;
    bool ll128 = true;         // between nodes its ways to the NICs are such that LL128's stores arrive whole
    bool simple_tree = false;  // NCCL's pattern "tree": one GPU of the node holds parent and both children
};
using Graphs = std::map<std::string_view, Graph>;  // by the algorithm's key

// The channels of the ring, which most algorithms use.
Graph ring_graph(const TopologySearchResult& found, const NodeBandwidths& node);

struct AlgorithmModel {
    std::string_view name;    // as NCCL_ALGO spells it: "NVLSTree"; readers accept any case
    std::string_view key;     // as the catalogue's figures end: "nvls_tree"
    Algorithm word;           // in scenarios and reports; both CollNet algorithms are `collnet`
    bool simple_only = true;  // else LL and LL128 too

    // Its channels, from what the search found; has no channels where it cannot run.
    Graph (*graph)(const TopologySearchResult& found, const NodeBandwidths& node) = ring_graph;
    // Whether NCCL takes it for this collective on this machine.
    bool (*runs)(const TuningCase& c) = nullptr;
    // NCCL's own estimate for a call of `bytes` bytes; infinite: it cannot run.
    double (*seconds)(const TuningCase& c, Proto proto, double bytes) = nullptr;
    LoweredCall (*plan)(const Call& call, Schedule& schedule) = nullptr;
};

// In NCCL's order: of two equal estimates the first wins.
using Algorithms = std::span<const AlgorithmModel* const>;

}  // namespace fabricast::inline collectives::nccl
