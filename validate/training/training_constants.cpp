#include "validate/training/training_constants.hpp"

namespace fabricast::inline validate_training {

namespace {

bool same(const Figure& a, const Figure& b) {
    return a.value == b.value && a.low80 == b.low80 && a.high80 == b.high80 && a.source == b.source;
}

}  // namespace

// Priors without any table. Matrix products and attention kernels: the best rates that others measured for them alone
// (docs/training.md, constants), minus 10 % for power limits. The rest, including the recipes of frameworks, are broad
// guesses.
const std::vector<TrainingConstant>& training_constants() {
    static const std::vector<TrainingConstant> list = {
        {"compute-h100", "gemm.bf16", 0.72, 0.08},
        {"compute-h100", "gemm.fp8", 0.64, 0.10},
        {"compute-h100", "gemm.fixed.narrow", 20e-6, 0.7},
        {"compute-h100", "gemm.fixed.wide", 5e-6, 0.7},
        {"compute-h100", "gemm.memory", 0.85, 0.1},
        {"compute-h100", "launch", 5e-6, 0.5},
        {"compute-h100", "softmax.memory", 0.65, 0.15},
        {"compute-h100", "cast.memory", 0.65, 0.2},
        {"compute-h100", "elementwise.memory", 0.65, 0.15},
        {"compute-h100", "attention.cudnn", 0.575, 0.05},
        {"compute-h100", "attention.flash_2", 0.325, 0.05},
        {"compute-h100", "attention.triton", 0.20, 0.3},
        {"compute-h100-500w", "gemm.bf16", 0.57, 0.12},
        {"compute-h100-500w", "gemm.fp8", 0.51, 0.12},
        {"compute-h100-500w", "attention.flash_2", 0.26, 0.1},
        {"compute-a100", "gemm.bf16", 0.76, 0.05},
        {"compute-a100", "gemm.fp16", 0.76, 0.05},
        {"compute-a100", "elementwise.memory", 0.65, 0.15},
        {"compute-a100", "attention.flash_2", 0.60, 0.1},
        {"compute-a100", "attention.unfused", 0.60, 0.2},
        {"compute-v100", "gemm.fp16", 0.80, 0.1},
        {"compute-b200", "gemm.fp8", 0.60, 0.12},
        {"compute-b200", "gemm.fp4", 0.50, 0.3},
        {"compute-b200", "attention.cudnn", 0.45, 0.2},
        {"compute-gb200", "gemm.fp8", 0.60, 0.12},
        {"compute-gb200", "gemm.fp4", 0.50, 0.3},
        {"compute-any", "tile.start", 128, 0.4},
        {"megatron", "step", 0.05, 0.7},
        {"mlperf", "step", 0.05, 0.7},
        {"pytorch-fsdp", "step", 0.05, 0.7},
        {"jax", "step", 0.05, 0.7},
        {"internlm", "step", 0.05, 0.7},
        {"internlm", "broadcast_per_rank", 0.3e-3, 2},
        {"megatron", "expert_imbalance", 1.2, 0.15},
        {"pytorch-fsdp", "eager", 3, 0.4},
        {"megatron", "growth.wide", 0.003, 0.5},
        {"megatron", "growth.narrow", 0.005, 0.5},
        {"pytorch-fsdp", "growth.wide", 0.003, 0.5},
        {"jax", "growth.wide", 0.003, 0.5},
        {"jax", "growth.narrow", 0.005, 0.5},
    };
    return list;
}

std::optional<std::size_t> constant_behind(const Catalog& catalog, const std::string& part, const std::string& figure) {
    const std::vector<TrainingConstant>& list = training_constants();
    std::optional<std::size_t> inherited;
    const Figure& own = catalog.parts.at(part).figure(figure);
    for (std::size_t k = 0; k < list.size(); ++k) {
        if (list[k].figure != figure) { continue; }
        if (list[k].part == part) { return k; }
        if (!inherited && same(own, catalog.parts.at(list[k].part).figure(figure))) { inherited = k; }
    }
    return inherited;
}

}  // namespace fabricast::inline validate_training
