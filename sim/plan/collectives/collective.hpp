#pragma once
// What the user asks for: which collective, algorithm, protocol, sizes and type, of which library, launched how.

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_name.hpp"
#include "base/units.hpp"

namespace fabricast::inline collectives {

enum class Collective : std::uint8_t {
    all_reduce,
    all_gather,
    reduce_scatter,
    broadcast,
    reduce,
    all_to_all,
    all_to_all_v,
    sendrecv,
    gather,
    scatter
};
enum class Algorithm : std::uint8_t {
    automatic,
    ring,
    tree,
    nvls,
    nvls_tree,
    collnet,
    pat,
    recursive_doubling,
    pairwise,
    direct,
    hierarchical,
    msccl_ring,
    msccl_all_pairs
};
// Whether MSCCL's interpreter runs it, a program that stands in place of NCCL's algorithms.
constexpr bool is_msccl(Algorithm algorithm) {
    return algorithm == Algorithm::msccl_ring || algorithm == Algorithm::msccl_all_pairs;
}
enum class Protocol : std::uint8_t { automatic, ll, ll128, simple };
enum class DataType : std::uint8_t {
    int8,
    uint8,
    int32,
    uint32,
    int64,
    uint64,
    float16,
    float32,
    float64,
    bfloat16,
    float8
};

// The spelling used in scenarios, tables and JSON.
inline constexpr std::array<std::string_view, 10> collective_names = {
    "all_reduce", "all_gather",   "reduce_scatter", "broadcast", "reduce",
    "all_to_all", "all_to_all_v", "sendrecv",       "gather",    "scatter"};
inline constexpr std::array<std::string_view, 13> algorithm_names = {
    "auto",     "ring",   "tree",         "nvls",       "nvls-tree",      "collnet", "pat", "recursive-doubling",
    "pairwise", "direct", "hierarchical", "msccl-ring", "msccl-all-pairs"};
inline constexpr std::array<std::string_view, 4> protocol_names = {"auto", "ll", "ll128", "simple"};
inline constexpr std::array<std::string_view, 11> data_type_names = {
    "int8", "uint8", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64", "bfloat16", "float8"};
inline std::string_view to_string(Collective c) { return enum_name(collective_names, c); }
inline std::string_view to_string(Algorithm a) { return enum_name(algorithm_names, a); }
inline std::string_view to_string(Protocol p) { return enum_name(protocol_names, p); }
inline std::string_view to_string(DataType d) { return enum_name(data_type_names, d); }

// Bytes of one element.
inline std::int64_t size_of(DataType d) {
    constexpr std::array<std::int64_t, data_type_names.size()> sizes = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1};
    return sizes.at(static_cast<std::size_t>(d));
}

// nccl-tests: busbw = algbw * factor. Source: nccl-tests doc/PERFORMANCE.md.
constexpr double busbw_factor(Collective collective, std::uint32_t ranks) {
    const double n = ranks;
    switch (collective) {
        case Collective::all_reduce: return 2 * (n - 1) / n;
        case Collective::all_gather:
        case Collective::reduce_scatter:
        case Collective::all_to_all:
        case Collective::all_to_all_v:
        case Collective::gather:
        case Collective::scatter: return (n - 1) / n;
        case Collective::broadcast:
        case Collective::reduce:
        case Collective::sendrecv: break;
    }
    return 1;
}

struct CollectiveWorkload {
    Collective collective = Collective::all_reduce;
    Algorithm algorithm = Algorithm::automatic;
    Protocol protocol = Protocol::automatic;
    std::vector<Bytes> sizes;  // nccl-tests' "size": the larger of the two buffers of a rank
    DataType dtype = DataType::float32;
    bool in_place = false;
    std::uint32_t root = 0;
    bool pairs = false;                         // sendrecv: each two ranks have a communicator of their own
    std::uint32_t channels = 1, instances = 1;  // of an MSCCL program: its channels, and its copies
};

enum class LaunchMode : std::uint8_t {
    process,    // one process per GPU
    thread,     // one thread for all GPUs of a node (-g N)
    threads,    // one process, one thread per GPU (-t N)
    framework,  // a framework's loop
};
inline constexpr std::array<std::string_view, 4> launch_mode_names = {"process", "thread", "threads", "framework"};
inline std::string_view to_string(LaunchMode mode) { return enum_name(launch_mode_names, mode); }

// How the buffers of calls are registered: not, each by itself (nccl-tests -R 1), or in symmetric windows (-R 2).
enum class Registered : std::uint8_t { none, buffer, window };
inline constexpr std::array<std::string_view, 3> registered_names = {"none", "buffer", "window"};
inline std::string_view to_string(Registered registered) { return enum_name(registered_names, registered); }

struct LibrarySpec {
    std::string nccl = "2.27";
    Registered registered = Registered::none;
    std::string network_plugin;              // empty: the usual one for the fabric's link
    std::map<std::string, std::string> env;  // NCCL_ALGO, NCCL_PROTO, NCCL_NVLS_ENABLE ...
};

// Whose time counts, as nccl-tests -a: of rank 0, the mean of all ranks, of the first to end, of the last.
enum class RankTime : std::uint8_t { rank0, mean, min, max };
inline constexpr std::array<std::string_view, 4> rank_time_names = {"rank0", "mean", "min", "max"};
inline std::string_view to_string(RankTime time) { return enum_name(rank_time_names, time); }

struct LaunchSpec {
    LaunchMode mode = LaunchMode::process;
    int iterations = 20;
    RankTime average = RankTime::mean;
};

}  // namespace fabricast::inline collectives
