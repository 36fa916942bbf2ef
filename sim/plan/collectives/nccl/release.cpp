#include "sim/plan/collectives/nccl/release.hpp"

#include <algorithm>

#include "sim/plan/collectives/plan.hpp"

namespace fabricast::nccl {

namespace {

constexpr std::array<std::string_view, algo_count> algo_keys{
    "tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat"};
constexpr std::array<std::string_view, proto_count> proto_keys{"ll", "ll128", "simple"};
constexpr std::array<std::string_view, 3> wire_keys{"nvlink", "pci", "net"};
constexpr std::array<std::string_view, generation_count> generation_keys{"volta", "ampere", "hopper", "blackwell"};

// A figure's list as a fixed array; all zero if the figure is missing.
template <std::size_t N>
std::array<double, N> row(const Part& part, const std::string& path) {
    std::array<double, N> values{};
    if (part.figures.contains(path)) {
        const std::vector<double>& list = part.list(path);
        std::copy_n(list.begin(), std::min(N, list.size()), values.begin());
    }
    return values;
}

PerGeneration per_generation(const Part& part, const std::string& prefix) {
    PerGeneration rows{};
    for (std::size_t g = 0; g < generation_count; ++g) {
        // A release that is older than a GPU treats it as the newest generation that it knows.
        const std::string path = prefix + "." + std::string(generation_keys[g]);
        rows[g] = g > 0 && !part.figures.contains(path) ? rows[g - 1] : row<3>(part, path);
    }
    return rows;
}

std::vector<double> list_or(const Part& part, const std::string& path, const std::vector<double>& fallback) {
    return part.figures.contains(path) ? part.list(path) : fallback;
}

TuningTables read_tuning(const Part& part) {
    TuningTables t;
    const std::string algorithms = " " + part.word("algorithms") + " ";
    for (std::size_t a = 0; a < algo_count; ++a) {
        const std::string key(algo_keys[a]);
        t.has[a] = algorithms.find(" " + key + " ") != std::string::npos;
        t.base_latency[a] = row<proto_count>(part, "base_latency." + key);
        for (std::size_t w = 0; w < wire_keys.size(); ++w) {
            t.hop_latency[w][a] = row<proto_count>(part, "hw_latency." + std::string(wire_keys[w]) + "." + key);
        }
    }
    t.net_overhead_intel = part.number("net_overhead.intel");
    t.net_overhead_amd = part.number("net_overhead.amd");
    t.net_overhead_other = part.number("net_overhead.other");
    t.net_overhead_simple_factor = part.number("net_overhead.simple_factor");
    t.ll_several_nodes_factor = part.number("ll_several_nodes_factor");
    t.extra_inter_steps = part.number("ring.extra_inter_steps");
    t.plateau = row<2>(part, "ring.plateau");
    t.plateau_threshold = part.number("ring.plateau_threshold");
    t.plateau_per_channel = part.word("plateau_per") == "channel-and-rank";
    t.ring_ll = row<2>(part, "ring_ll.efficiency");
    t.ring_ll128 = row<2>(part, "ring_ll128.efficiency");
    t.tree = part.number("tree.efficiency");
    t.tree_ll = part.number("tree_ll.efficiency");
    t.tree_ll128 = row<2>(part, "tree_ll128.efficiency");
    t.tree_pattern = part.number("tree.pattern_efficiency");
    t.collnet_direct = part.number_or("collnet_direct.efficiency", 1);
    t.collnet_chain = part.number_or("collnet_chain.efficiency", 1);
    t.pat = part.number_or("pat.efficiency", 1);
    t.arity_latency = part.number_or("collnet_direct.arity_latency", 0);
    t.ll_max = per_generation(part, "ll_max_bandwidth");
    t.ring_ll128_channel = per_generation(part, "per_channel.ring_ll128");
    t.tree_ll128_channel = per_generation(part, "per_channel.tree_ll128");
    t.tree_channel = per_generation(part, "per_channel.tree");
    t.nvls_tree_channel = per_generation(part, "per_channel.nvls_tree");
    if (!part.figures.contains("per_channel.ring_ll128.volta")) {
        std::size_t i = 0;
        for (const std::string_view collective :
             {"broadcast", "reduce", "all_gather", "reduce_scatter", "all_reduce"}) {
            t.ll128_channel_by_collective[i++] = part.number("per_channel.ll128." + std::string(collective));
        }
    }
    t.bus_limit_ampere = part.number("bus_limit.ampere");
    t.nvls_pipelined = part.word("nvls_model") == "pipelined";
    t.nvls_ratio = part.number_or("nvls.ratio", 0);
    for (std::size_t g = 0; g < generation_count; ++g) {
        t.nvls_efficiency[g] = part.number_or("nvls.efficiency." + std::string(generation_keys[g]), 0);
    }
    t.nvls_tree_hops_linear = part.word_or("nvls_tree_hops", "log") == "linear";
    t.single_gpu_uses_tree_latency = part.word("single_gpu_net_latency") == "tree";
    for (std::size_t p = 0; p < proto_count; ++p) {
        t.tree_correction[p] = part.list("tree_correction." + std::string(proto_keys[p]));
    }
    return t;
}

SearchTables read_search(const Part& part) {
    SearchTables s;
    s.nvlink_sm60 = part.number("nvlink.sm60");
    s.nvlink_sm70 = part.number("nvlink.sm70");
    s.nvlink_sm80 = part.number("nvlink.sm80");
    s.nvlink_sm86 = part.number("nvlink.sm86");
    s.nvlink_sm90 = part.number_or("nvlink.sm90", s.nvlink_sm80);
    s.nvlink_sm100 = part.number_or("nvlink.sm100", s.nvlink_sm90);
    s.pci_lane = part.list("pci.lane");
    for (const std::string family :
         {"broadwell", "skylake", "sapphire_rapids", "emerald_rapids", "amd", "arm", "power9"}) {
        s.inter_cpu[family] = part.number("inter_cpu." + family);
    }
    const std::array<std::string, 3> eras{"pre_hopper", "hopper", "blackwell"};
    for (std::size_t e = 0; e < eras.size(); ++e) {
        const std::size_t before = e == 0 ? 0 : e - 1;
        s.intra[e] = list_or(part, "search.intra." + eras[e], s.intra[before]);
        s.inter[e] = list_or(part, "search.inter." + eras[e], s.inter[before]);
    }
    s.max_channels = static_cast<int>(part.number("channels.max"));
    return s;
}

BufferTables read_buffers(const Part& part) {
    BufferTables b;
    for (std::size_t p = 0; p < proto_count; ++p) {
        const std::string key(proto_keys[p]);
        b.buffer[p] = part.number("buffer." + key);
        b.threads[p] = part.number("threads." + key);
        b.thread_threshold[p] = part.number("thread_threshold." + key);
    }
    b.slots = static_cast<int>(part.number("buffer.steps"));
    b.chunk_slots = row<2>(part, "chunk.steps");
    b.threads_slow = part.number("threads.simple_slow");
    b.slow_limit = part.number("threads.slow_limit");
    b.nvls_chunk = part.number_or("nvls.chunk", 0);
    b.nvls_tree_chunk = part.number_or("nvls_tree.chunk", 0);
    b.collnet_chunk = part.number("collnet.chunk");
    b.p2p_chunk_net = part.number("p2p.chunk.net");
    b.p2p_chunk_pci = part.number("p2p.chunk.pci");
    b.p2p_chunk_nvlink = part.number("p2p.chunk.nvlink");
    b.nvls_channels_hopper = row<2>(part, "nvls.channels.hopper");
    b.nvls_channels_blackwell = part.figures.contains("nvls.channels.blackwell")
                                    ? row<2>(part, "nvls.channels.blackwell")
                                    : b.nvls_channels_hopper;
    return b;
}

}  // namespace

Generation generation(int compute_capability) {
    return compute_capability >= 100  ? Generation::blackwell
           : compute_capability >= 90 ? Generation::hopper
           : compute_capability >= 80 ? Generation::ampere
                                      : Generation::volta;
}

Release release(const Catalog& catalog, const Version& version) {
    const Part* best = nullptr;
    Version best_version;
    for (const Part* part : catalog.of_kind("library")) {
        if (!part->name.starts_with("nccl-")) {
            continue;
        }
        const Version found = parse_version(part->word("version"));
        const bool better = best == nullptr || (found <= version ? best_version > version || found > best_version
                                                                 : best_version > version && found < best_version);
        if (better) {
            best = part;
            best_version = found;
        }
    }
    if (best == nullptr) {
        throw PlanError("the catalogue holds no NCCL release (parts named nccl-<version>)");
    }
    return {best->name, version, read_tuning(*best), read_search(*best), read_buffers(*best)};
}

}  // namespace fabricast::nccl
