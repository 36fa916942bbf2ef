#pragma once
// A training step as the user asks for it: which model, how it is spread over the GPUs, what overlaps with what. All
// defaults are here. `sim/plan/training/plan_step.hpp` turns it into a Schedule.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/enum_name.hpp"
#include "base/units.hpp"

namespace fabricast::inline training {

// mxfp8: 8-bit products with one scale for every 32 elements, as Blackwell has them; fp8: one for a whole tensor.
enum class Precision : std::uint8_t { bf16, fp16, fp8, mxfp8, fp4, tf32, fp32 };
enum class Recompute : std::uint8_t { none, selective, half, full };
// zero_bubble: 1F1B whose gradients of weights wait until the stage has nothing else to do (Qi et al. 2023, ZB-H1).
// dual_pipe: half of the micro-batches enter at each end (DeepSeek-V3, 3.2.1), so a stage has two pieces of the model.
enum class PipelineOrder : std::uint8_t { one_f_one_b, gpipe, zero_bubble, dual_pipe };
// What the data-parallel ranks shard: nothing (ddp), optimizer states (zero-1), also gradients (zero-2), also
// parameters (zero-3); hsdp shards all three inside a group and replicates the group.
enum class Sharding : std::uint8_t { ddp, zero_1, zero_2, zero_3, hsdp };
enum class AttentionKernel : std::uint8_t { automatic, cudnn, flash_2, triton, unfused };
enum class OptimizerKind : std::uint8_t { adam, sgd };
// How ranks that share out a sequence attend to all of it: keys and values go round a ring, are gathered before (Llama
// 3, 3.3.2), or all of a sequence comes to a share of the heads (DeepSpeed-Ulysses, arXiv 2309.14509).
enum class ContextBy : std::uint8_t { ring, all_gather, ulysses };
// How tokens get to their experts: NCCL's all-to-all moves a copy for each expert; `once` (DeepEP, HybridEP) moves one
// to each node that has any of a token's experts, or to each rank where one NVLink domain has all ranks.
enum class Dispatch : std::uint8_t { all_to_all, once };

// The spelling used in scenarios, tables and JSON.
inline constexpr std::array<std::string_view, 7> precision_names = {"bf16", "fp16", "fp8", "mxfp8",
                                                                    "fp4",  "tf32", "fp32"};
inline constexpr std::array<std::string_view, 4> recompute_names = {"none", "selective", "half", "full"};
inline constexpr std::array<std::string_view, 4> pipeline_order_names = {"1f1b", "gpipe", "zero-bubble", "dual-pipe"};
inline constexpr std::array<std::string_view, 5> sharding_names = {"ddp", "zero-1", "zero-2", "zero-3", "hsdp"};
inline constexpr std::array<std::string_view, 5> attention_names = {"auto", "cudnn", "flash-2", "triton", "unfused"};
inline constexpr std::array<std::string_view, 2> optimizer_names = {"adam", "sgd"};
inline constexpr std::array<std::string_view, 3> context_by_names = {"ring", "all-gather", "ulysses"};
inline constexpr std::array<std::string_view, 2> dispatch_names = {"all-to-all", "once"};
inline std::string_view to_string(Precision p) { return enum_name(precision_names, p); }
inline bool is_narrow(Precision p) { return p == Precision::fp8 || p == Precision::mxfp8 || p == Precision::fp4; }
// Bytes of an activation and of a parameter as products read it, in memory and on the wire.
inline double element_bytes(Precision p) { return p >= Precision::tf32 ? 4 : 2; }
// FlashAttention, cuDNN and Triton's kernel take fp16 and bf16, of 8-bit and 4-bit steps too (PyTorch
// aten/src/ATen/native/transformers/cuda/sdp_utils.cpp, check_dtypes_flash_attention; TransformerEngine
// attention/dot_product_attention/utils.py).
inline bool fuses_attention(Precision p) { return element_bytes(p) == 2; }
inline std::string_view to_string(Recompute r) { return enum_name(recompute_names, r); }
inline std::string_view to_string(PipelineOrder o) { return enum_name(pipeline_order_names, o); }
inline std::string_view to_string(Sharding s) { return enum_name(sharding_names, s); }
inline std::string_view to_string(AttentionKernel a) { return enum_name(attention_names, a); }
inline std::string_view to_string(OptimizerKind o) { return enum_name(optimizer_names, o); }
inline std::string_view to_string(ContextBy c) { return enum_name(context_by_names, c); }
inline std::string_view to_string(Dispatch d) { return enum_name(dispatch_names, d); }

// Changes to the library's model, or the user's own model; 0: the library's value.
struct ModelDimensions {
    std::uint32_t layers = 0, hidden = 0, heads = 0, kv_heads = 0, head_size = 0, ffn = 0, vocabulary = 0;
    std::uint32_t experts = 0, experts_per_token = 0, expert_ffn = 0;
    std::optional<bool> gated = {};
};

// GPUs are numbered tensor first, then context, then data, then pipeline, as Megatron does by default; experts are
// spread over neighbouring ranks of a stage.
struct Parallelism {
    std::uint32_t tensor = 1;
    bool sequence = true;  // sequence parallelism in addition to tensor parallelism: norms and dropout are split too
    std::uint32_t context = 1;
    std::uint32_t expert = 1;
    std::uint32_t expert_tensor = 0;  // ranks that share one expert; 0: the tensor ranks
    std::uint32_t pipeline = 1;
    std::uint32_t chunks = 1;  // chunks of the model on each pipeline stage; above 1: interleaved 1F1B
    std::uint32_t data = 0;    // 0: as many as the cluster's GPUs allow
    std::uint32_t shard = 0;   // ranks of an hsdp or zero-1 group; 0: those of a node for hsdp, else all data ranks
};

struct Overlap {
    bool gradients = true;   // their reduction overlaps with the backward pass
    bool parameters = true;  // their gathering overlaps with the forward pass
    bool tensor = false;     // tensor-parallel traffic is split and overlaps with the matrix products
    bool experts = false;    // tokens go to experts and back during another micro-batch's computation
};

// What host memory holds in place of the GPU's, over PCIe and back.
struct Offload {
    bool optimizer = false;  // its states, and the step itself (ZeRO-Offload, arXiv 2101.06840)
    double activations = 0;  // this share of what the backward pass needs
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
    Bytes bucket{0};                   // size of the gradients reduced in one call; 0: the framework's, or a layer's
    Bytes gather_bucket{0};            // of the parameters gathered in one call (zero-2, zero-3, hsdp); 0: a layer's
    std::uint32_t gradient_bytes = 0;  // bytes of one gradient on the wire; 0: 4, or a parameter's for zero-3 and hsdp
    Overlap overlap;
    Offload offload;
    bool deferred_embedding = false;  // gradients of the output matrix wait until the last stage has nothing else to do
    std::uint32_t deferred_embedding_limit = 0;  // of how many micro-batches, the first; 0: of all
    Recompute recompute = Recompute::none;
    Precision precision = Precision::bf16;
    AttentionKernel attention = AttentionKernel::automatic;
    ContextBy context_by = ContextBy::ring;
    Dispatch dispatch = Dispatch::all_to_all;
    OptimizerKind optimizer = OptimizerKind::adam;
    std::string framework = "megatron";  // catalogue part of kind `framework`
    bool compiled = true;                // fused element-wise kernels; false: eager
    bool fused_loss = true;              // of the logits; false: kernel by kernel, in fp32
    bool narrow_dispatch = false;        // tokens go to experts in 8 bits, and come back in 16 (DeepSeek-V3, 3.3)
    bool balanced_routing = false;       // each expert gets as many tokens, as benchmarks force it
    double skew = 0;                     // tokens of the busiest rank of experts over the mean; 0: the framework's
    bool graphs = false;                 // CUDA graphs launch the layers: the host has nothing to do for them
    std::uint32_t next_tokens = 0;       // more tokens predicted (DeepSeek-V3, 2.2), each by one more layer and head
    std::uint32_t adapters = 0;          // rank of LoRA adapters beside every product; all else is frozen. 0: none
    std::uint32_t document = 0;          // tokens of a document where sequences are packed of several; 0: one
    double imbalance = 1;                // tokens of the fullest data rank over the mean
    bool check_memory = true;            // refuse a step that does not fit the GPU
};

// Bytes of one gradient, on the wire and in memory: the workload's figure, or what is usual for its sharding.
inline double gradient_bytes(const TrainingWorkload& workload) {
    if (workload.gradient_bytes > 0) { return workload.gradient_bytes; }
    return workload.sharding >= Sharding::zero_3 ? element_bytes(workload.precision) : 4;
}

}  // namespace fabricast::inline training
