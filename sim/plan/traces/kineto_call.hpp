#pragma once
// How PyTorch's profiler describes a call of NCCL, beside a kernel or a CPU operator.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "sim/plan/traces/comm_names.hpp"

namespace fabricast::kineto {

// A call as a CPU operator or the kernel itself describes it.
struct KinetoCall {
    CommCall what;
    double in_elements = 0, out_elements = 0;
    std::optional<DataType> dtype;  // nothing: of a type unknown here, and hence of no known size
    std::string group;              // the process group's name
    std::uint32_t group_size = 0;
    std::vector<std::uint32_t> ranks;
    std::int64_t peer = -1, root = 0;
};

// Numbers written as numbers or as text; nullopt for anything else.
std::optional<double> number(const Json& object, const char* key);

// Empty where `key` is absent or no text.
std::string text(const Json& object, const char* key);

// Above 0; 0 where neither key has such a number.
std::uint64_t whole(const Json& object, const char* key, const char* older_key);

// "[0, 1, 2]" or a list; empty where it is cut short with dots.
std::vector<std::uint32_t> ranks_in(const Json& object, const char* key);

// What newer profilers write beside the kernel and the operator.
std::optional<KinetoCall> described_call(const Json& args);

// What older ones write: `nccl:all_reduce` and the dimensions of its inputs.
std::optional<KinetoCall> call_by_dims(const Json& args, const std::string& name);

}  // namespace fabricast::kineto
