#pragma once
// How PyTorch's profiler describes an NCCL call, in a kernel's or a CPU operator's attributes.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "sim/plan/traces/comm_names.hpp"

namespace fabricast::inline traces::kineto {

// An NCCL call as a CPU operator or the kernel itself describes it.
struct KinetoCall {
    CommCall what;
    double in_elements = 0, out_elements = 0;
    std::optional<DataType> dtype;  // empty: a type that is unknown here, so that the size is unknown too
    std::string group;              // the process group's name
    std::uint32_t group_size = 0;
    std::vector<std::uint32_t> ranks;
    std::optional<std::uint32_t> peer;
    bool used = false;  // by a kernel; a second one of the same call moves nothing
};

// A number, written as a number or as text; nullopt for anything else.
std::optional<double> number(const Json& object, const char* key);

// A number of a rank, or of ranks; nullopt if it can be none.
std::optional<std::uint32_t> rank(const Json& object, const char* key);

// Empty if `key` is absent or not a text.
std::string text(const Json& object, const char* key);

// A whole number above 0; 0 if neither key has one.
std::uint64_t whole(const Json& object, const char* key, const char* older_key);

// "[0, 1, 2]" or a list; empty if it is shortened with dots.
std::vector<std::uint32_t> ranks_in(const Json& object, const char* key);

// The call from the attributes that newer profilers write for the kernel and the operator.
std::optional<KinetoCall> described_call(const Json& args);

// The call from what older profilers write: `nccl:all_reduce` and the dimensions of its inputs.
std::optional<KinetoCall> call_by_dims(const Json& args, const std::string& name);

}  // namespace fabricast::inline traces::kineto
