#pragma once
// The constants of one NCCL release: a typed view of a catalogue part `nccl-<version>` (models/catalog/nccl.yaml
// explains each figure). In seconds, bytes and bytes per second.

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "models/catalog.hpp"
#include "sim/plan/collectives/nccl/names.hpp"

namespace fabricast::nccl {

enum class Generation : std::uint8_t { volta, ampere, hopper, blackwell };
inline constexpr std::size_t generation_count = 4;
Generation generation(int compute_capability);

// What carries a hop; one row of the latency tables for each.
enum class Wire : std::uint8_t { nvlink, pci, network };

using PerProto = std::array<double, proto_count>;
using PerAlgo = std::array<PerProto, algo_count>;
using PerNodes = std::array<double, 3>;  // for one node, two nodes, more
using PerGeneration = std::array<PerNodes, generation_count>;

struct TuningTables {
    PerAlgo base_latency{};
    std::array<PerAlgo, 3> hop_latency{};  // by Wire
    double net_overhead_intel = 0, net_overhead_amd = 0, net_overhead_other = 0, net_overhead_simple_factor = 1;
    double ll_several_nodes_factor = 1;
    double extra_inter_steps = 0;
    std::array<double, 2> plateau{1, 1};  // compute capability below 8.0, others
    double plateau_threshold = 0;
    bool plateau_per_channel = true;     // plateau_threshold is per channel and rank, else per rank
    std::array<double, 2> ring_ll{};     // all-reduce, reduce or several nodes; others
    std::array<double, 2> ring_ll128{};  // several GPUs per node; one
    double tree = 1, tree_ll = 1, tree_pattern = 1;
    std::array<double, 2> tree_ll128{};  // one node; more
    double collnet_direct = 1, collnet_chain = 1, pat = 1, arity_latency = 0;
    PerGeneration ll_max{};  // one node: by GPU; several nodes: row `ampere` for AMD hosts, row `volta` for others
    PerGeneration ring_ll128_channel{}, tree_ll128_channel{}, tree_channel{}, nvls_tree_channel{};  // 0: no limit
    std::array<double, 5> ll128_channel_by_collective{};  // broadcast, reduce, all-gather, reduce-scatter, all-reduce
    double bus_limit_ampere = 0;
    bool nvls_pipelined = false;  // nvls_model
    double nvls_ratio = 0;
    std::array<double, generation_count> nvls_efficiency{};
    bool nvls_tree_hops_linear = false;
    bool single_gpu_uses_tree_latency = false;
    std::array<bool, algo_count> has{};
    std::array<std::vector<double>, proto_count> tree_correction;  // entries for 64 B, 128 B, 256 B ...
};

struct SearchTables {
    double nvlink_sm60 = 0, nvlink_sm70 = 0, nvlink_sm80 = 0, nvlink_sm86 = 0, nvlink_sm90 = 0, nvlink_sm100 = 0;
    std::vector<double> pci_lane;                     // generation 1 upward
    std::map<std::string, double> inter_cpu;          // by CPU family
    std::array<std::vector<double>, 3> intra, inter;  // speeds that the search tries: before Hopper, Hopper, Blackwell
    int max_channels = 32;
};

struct BufferTables {
    PerProto buffer{};  // bytes per channel and connection
    int slots = 8;
    std::array<double, 2> chunk_slots{};  // Simple ring: all-reduce, all-gather and reduce-scatter; others
    PerProto threads{};
    double threads_slow = 256, slow_limit = 0;
    PerProto thread_threshold{};  // bytes
    double nvls_chunk = 0, nvls_tree_chunk = 0, collnet_chunk = 0;
    double p2p_chunk_net = 0, p2p_chunk_pci = 0, p2p_chunk_nvlink = 0;
    std::array<double, 2> nvls_channels_hopper{}, nvls_channels_blackwell{};  // one node, more
};

struct Release {
    std::string part;  // its name in the catalogue
    Version version;
    TuningTables tuning;
    SearchTables search;
    BufferTables buffers;
};

// The newest release that is not newer than `version`, or the oldest one. Throws PlanError if the catalogue has none.
Release release(const Catalog& catalog, const Version& version);

}  // namespace fabricast::nccl
