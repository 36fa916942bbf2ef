#pragma once
// Translates the names of collectives and element types in PyTorch, NCCL and their kernels into ours.

#include <optional>
#include <string_view>

#include "sim/plan/traces/recording.hpp"

namespace fabricast::inline traces {

// A call, from its name: RecordKind::collective, send or receive.
struct CommCall {
    RecordKind kind = RecordKind::collective;
    Collective collective = Collective::all_reduce;
    bool barrier = false;  // an all-reduce of one element
};

// "allreduce", "_allgather_base", "nccl:reduce_scatter", "c10d::broadcast_", "AllToAll", "send"; nullopt for calls that
// move nothing ("wait", "init") and for unknown names.
std::optional<CommCall> comm_call(std::string_view name);

// Whether a kernel is NCCL's, RCCL's or DeepEP's.
bool is_comm_kernel(std::string_view kernel);

// "Float", "c10::BFloat16", "long int", "Float8_e4m3fn"; nullopt for unknown names.
std::optional<DataType> dtype_named(std::string_view name);
// From the number of NCCL's ncclDataType_t; nullopt for other numbers.
std::optional<DataType> nccl_dtype(long long number);

// nccl-tests' size, in bytes, of a call on `ranks` ranks whose buffers have these numbers of elements (nccl-tests
// doc/PERFORMANCE.md: the larger of a rank's two buffers; for gather and scatter that of the root).
double call_bytes(const CommCall& call, double in_elements, double out_elements, DataType dtype, std::uint32_t ranks);

}  // namespace fabricast::inline traces
