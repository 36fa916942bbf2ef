#include "sim/plan/traces/comm_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

namespace fabricast::inline traces {

namespace {

// Letters and digits only, in lower case: "_allgather_base" -> "allgatherbase".
std::string plain(std::string_view name) {
    std::string letters;
    for (const char c : name) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
            letters.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
        }
    }
    return letters;
}

}  // namespace

std::optional<CommCall> comm_call(std::string_view name) {
    // The order matters: "allreduce" contains "reduce".
    static constexpr std::array<std::pair<std::string_view, CommCall>, 17> words = {{
        {"allreduce", {RecordKind::collective, Collective::all_reduce}},
        {"reducescatter", {RecordKind::collective, Collective::reduce_scatter}},
        {"allgather", {RecordKind::collective, Collective::all_gather}},
        {"alltoallv", {RecordKind::collective, Collective::all_to_all_v}},
        {"alltoall", {RecordKind::collective, Collective::all_to_all}},
        {"barrier", {RecordKind::collective, Collective::all_reduce, true}},
        {"broadcast", {RecordKind::collective, Collective::broadcast}},
        {"reduce", {RecordKind::collective, Collective::reduce}},
        {"gather", {RecordKind::collective, Collective::gather}},
        {"scatter", {RecordKind::collective, Collective::scatter}},
        {"irecv", {RecordKind::receive}},
        {"recvanysource", {RecordKind::receive}},
        {"recv", {RecordKind::receive}},
        {"receive", {RecordKind::receive}},
        {"isend", {RecordKind::send}},
        {"send", {RecordKind::send}},
        {"bcast", {RecordKind::collective, Collective::broadcast}},
    }};
    const std::string letters = plain(name);
    if (letters.find("ncclid") != std::string::npos || letters == "wait" || letters == "init") { return std::nullopt; }
    const auto found =
        std::ranges::find_if(words, [&](const auto& row) { return letters.find(row.first) != std::string::npos; });
    return found == words.end() ? std::nullopt : std::optional(found->second);
}

bool is_comm_kernel(std::string_view kernel) {
    return kernel.starts_with("nccl") || kernel.starts_with("void nccl") || kernel.starts_with("rccl") ||
           kernel.find("ncclKernel") != std::string_view::npos ||
           kernel.find("ncclDevKernel") != std::string_view::npos ||
           // DeepEP's namespaces: its kernels move tokens between experts (deepseek-ai/DeepEP, csrc/kernels).
           kernel.find("deep_ep::") != std::string_view::npos;
}

std::optional<DataType> dtype_named(std::string_view name) {
    static constexpr std::array<std::pair<std::string_view, DataType>, 28> words = {{
        {"float", DataType::float32},      {"float32", DataType::float32}, {"double", DataType::float64},
        {"float64", DataType::float64},    {"half", DataType::float16},    {"float16", DataType::float16},
        {"bfloat16", DataType::bfloat16},  {"long", DataType::int64},      {"longint", DataType::int64},
        {"int64", DataType::int64},        {"int", DataType::int32},       {"int32", DataType::int32},
        {"short", DataType::float16},      {"byte", DataType::uint8},      {"uint8", DataType::uint8},
        {"unsignedchar", DataType::uint8}, {"char", DataType::int8},       {"int8", DataType::int8},
        {"signedchar", DataType::int8},    {"bool", DataType::uint8},      {"uint32", DataType::uint32},
        {"uint64", DataType::uint64},      {"scalar", DataType::float32},  {"float8", DataType::float8},
        {"bf16", DataType::bfloat16},      {"fp16", DataType::float16},    {"fp32", DataType::float32},
        {"longlong", DataType::int64},
    }};
    const std::string letters = plain(name.substr(name.rfind(':') + 1));
    const auto found = std::ranges::find(words, letters, [](const auto& row) { return row.first; });
    return found != words.end()            ? std::optional(found->second)
           : letters.starts_with("float8") ? std::optional(DataType::float8)
                                           : std::nullopt;
}

std::optional<DataType> nccl_dtype(long long number) {
    // DataType has the order of ncclDataType_t (nccl.h), whose last two, 10 and 11, are kinds of float8.
    return number >= 0 && number <= 11 ? std::optional(static_cast<DataType>(std::min(number, 10LL))) : std::nullopt;
}

double call_bytes(const CommCall& call, double in_elements, double out_elements, DataType dtype, std::uint32_t ranks) {
    if (call.barrier) { return 4; }
    const double element = static_cast<double>(size_of(dtype));
    const double larger = std::max(in_elements, out_elements);
    const bool rooted = call.collective == Collective::gather || call.collective == Collective::scatter;
    if (call.kind == RecordKind::collective && rooted && std::min(in_elements, out_elements) <= 0) {
        return larger * element * ranks;  // a rank other than the root has only one buffer, its own part
    }
    return larger * element;
}

}  // namespace fabricast::inline traces
