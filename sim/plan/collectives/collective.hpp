#pragma once
// What the user asks for: which collective, which algorithm and protocol, which sizes and type.

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/units.hpp"

namespace fabricast {

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
    hierarchical
};
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
// The spelling used in scenarios, tables and JSON: "all_reduce", "nvls-tree", "ll128", "float32".
std::string_view to_string(Collective);
std::string_view to_string(Algorithm);
std::string_view to_string(Protocol);
std::string_view to_string(DataType);
std::int64_t size_of(DataType);  // bytes

// nccl-tests: busbw = algbw * factor. Source: nccl-tests doc/PERFORMANCE.md.
double busbw_factor(Collective collective, std::uint32_t ranks);

struct CollectiveWorkload {
    Collective collective = Collective::all_reduce;
    Algorithm algorithm = Algorithm::automatic;
    Protocol protocol = Protocol::automatic;
    std::vector<Bytes> sizes;  // nccl-tests' "size": the larger of the two buffers of a rank
    DataType dtype = DataType::float32;
    bool in_place = false;
    std::uint32_t root = 0;
};

}  // namespace fabricast
