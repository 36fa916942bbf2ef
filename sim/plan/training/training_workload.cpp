#include "sim/plan/training/training_workload.hpp"

#include <array>

#include "base/enum_name.hpp"

namespace fabricast::inline training {

std::string_view to_string(Precision p) {
    static constexpr std::array<std::string_view, 6> words = {"bf16", "fp16", "fp8", "fp4", "tf32", "fp32"};
    return enum_name(words, p);
}

std::string_view to_string(Recompute r) {
    static constexpr std::array<std::string_view, 4> words = {"none", "selective", "half", "full"};
    return enum_name(words, r);
}

std::string_view to_string(PipelineOrder o) {
    static constexpr std::array<std::string_view, 2> words = {"1f1b", "gpipe"};
    return enum_name(words, o);
}

std::string_view to_string(Sharding s) {
    static constexpr std::array<std::string_view, 5> words = {"ddp", "zero-1", "zero-2", "zero-3", "hsdp"};
    return enum_name(words, s);
}

std::string_view to_string(AttentionKernel a) {
    static constexpr std::array<std::string_view, 5> words = {"auto", "cudnn", "flash-2", "triton", "unfused"};
    return enum_name(words, a);
}

std::string_view to_string(OptimizerKind o) {
    static constexpr std::array<std::string_view, 2> words = {"adam", "sgd"};
    return enum_name(words, o);
}

}  // namespace fabricast::inline training
