#pragma once
// A training step as the user asks for it: which model, how it is cut over the GPUs, what overlaps with what. Every
// default stands here. `sim/plan/training/plan_step.hpp` makes a Schedule of it.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/units.hpp"

namespace fabricast {

enum class Precision : std::uint8_t { bf16, fp16, fp8, fp4, tf32, fp32 };
enum class Recompute : std::uint8_t { none, selective, half, full };
enum class PipelineOrder : std::uint8_t { one_f_one_b, gpipe };
// What the data-parallel ranks share out: nothing, optimizer states, and gradients, and parameters; hsdp shares
// parameters inside a group and copies the group.
enum class Sharding : std::uint8_t { ddp, zero_1, zero_2, zero_3, hsdp };
enum class AttentionKernel : std::uint8_t { automatic, cudnn, flash_2, triton, unfused };
enum class OptimizerKind : std::uint8_t { adam, sgd };

std::string_view to_string(Precision);
std::string_view to_string(Recompute);
std::string_view to_string(PipelineOrder);
std::string_view to_string(Sharding);
std::string_view to_string(AttentionKernel);
std::string_view to_string(OptimizerKind);

// Overrides of the library's model, or a model of the user's own; 0: the library's.
struct ModelDimensions {
    std::uint32_t layers = 0, hidden = 0, heads = 0, kv_heads = 0, head_size = 0, ffn = 0, vocabulary = 0;
    std::uint32_t experts = 0, experts_per_token = 0, expert_ffn = 0;
    bool gated = false;
};

// GPUs are numbered tensor first, then context, then data, then pipeline, as Megatron does by default; experts are
// spread over neighbours of the context and data ranks.
struct Parallelism {
    std::uint32_t tensor = 1;
    bool sequence = true;  // sequence parallelism beside tensor parallelism: norms and dropout are shared out too
    std::uint32_t context = 1;
    std::uint32_t expert = 1;
    std::uint32_t pipeline = 1;
    std::uint32_t chunks = 1;  // of the model on each pipeline stage: interleaved 1F1B above 1
    std::uint32_t data = 0;    // 0: what the cluster's GPUs allow
    std::uint32_t shard = 0;   // ranks of an hsdp or zero-1 group; 0: a node's for hsdp, all data ranks else
};

struct Overlap {
    bool gradients = true;   // their reduction runs beside the backward pass
    bool parameters = true;  // their gathering runs beside the forward pass
    bool tensor = false;     // tensor-parallel traffic is cut up and runs beside the matrix products
};

struct TrainingWorkload {
    std::string model;  // catalogue part of kind `model`
    ModelDimensions dimensions;
    std::uint32_t sequence_length = 0;  // tokens; 0: the model's
    std::uint32_t global_batch = 0;     // sequences or images a step; 0: micro_batch x data ranks
    std::uint32_t micro_batch = 1;
    Parallelism parallelism;
    PipelineOrder order = PipelineOrder::one_f_one_b;
    Sharding sharding = Sharding::zero_1;
    Bytes bucket{0};                   // gradients reduced at once; 0: the framework's
    std::uint32_t gradient_bytes = 0;  // of one gradient on the wire; 0: 4, or 2 for zero-3 and hsdp
    Overlap overlap;
    Recompute recompute = Recompute::none;
    Precision precision = Precision::bf16;
    AttentionKernel attention = AttentionKernel::automatic;
    OptimizerKind optimizer = OptimizerKind::adam;
    std::string framework = "megatron";  // catalogue part of kind `framework`
    bool compiled = true;                // fused element-wise kernels; false: eager
    bool check_memory = true;            // refuse what does not fit the GPU
};

}  // namespace fabricast
