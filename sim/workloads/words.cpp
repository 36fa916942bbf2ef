#include <array>
#include <cstddef>

#include "sim/workloads/training_workload.hpp"

namespace fabricast {

namespace {

template <std::size_t N, class Enum>
std::string_view pick(const std::array<std::string_view, N>& words, Enum value) {
    return words.at(static_cast<std::size_t>(value));
}

}  // namespace

std::string_view word(Precision p) {
    static constexpr std::array<std::string_view, 6> words = {"bf16", "fp16", "fp8", "fp4", "tf32", "fp32"};
    return pick(words, p);
}

std::string_view word(Recompute r) {
    static constexpr std::array<std::string_view, 4> words = {"none", "selective", "half", "full"};
    return pick(words, r);
}

std::string_view word(PipelineOrder o) {
    static constexpr std::array<std::string_view, 2> words = {"1f1b", "gpipe"};
    return pick(words, o);
}

std::string_view word(Sharding s) {
    static constexpr std::array<std::string_view, 5> words = {"ddp", "zero-1", "zero-2", "zero-3", "hsdp"};
    return pick(words, s);
}

std::string_view word(AttentionKernel a) {
    static constexpr std::array<std::string_view, 5> words = {"auto", "cudnn", "flash-2", "triton", "unfused"};
    return pick(words, a);
}

std::string_view word(OptimizerKind o) {
    static constexpr std::array<std::string_view, 2> words = {"adam", "sgd"};
    return pick(words, o);
}

}  // namespace fabricast
