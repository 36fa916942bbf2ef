#include <array>

#include "sim/pick_word.hpp"
#include "sim/workloads/training_workload.hpp"

namespace fabricast {

std::string_view word(Precision p) {
    static constexpr std::array<std::string_view, 6> words = {"bf16", "fp16", "fp8", "fp4", "tf32", "fp32"};
    return pick_word(words, p);
}

std::string_view word(Recompute r) {
    static constexpr std::array<std::string_view, 4> words = {"none", "selective", "half", "full"};
    return pick_word(words, r);
}

std::string_view word(PipelineOrder o) {
    static constexpr std::array<std::string_view, 2> words = {"1f1b", "gpipe"};
    return pick_word(words, o);
}

std::string_view word(Sharding s) {
    static constexpr std::array<std::string_view, 5> words = {"ddp", "zero-1", "zero-2", "zero-3", "hsdp"};
    return pick_word(words, s);
}

std::string_view word(AttentionKernel a) {
    static constexpr std::array<std::string_view, 5> words = {"auto", "cudnn", "flash-2", "triton", "unfused"};
    return pick_word(words, a);
}

std::string_view word(OptimizerKind o) {
    static constexpr std::array<std::string_view, 2> words = {"adam", "sgd"};
    return pick_word(words, o);
}

}  // namespace fabricast
