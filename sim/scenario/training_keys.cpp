#include "sim/scenario/training_keys.hpp"

#include "sim/scenario/rows.hpp"

namespace fabricast {

namespace {

using namespace rows;

// NOLINTBEGIN(bugprone-macro-parentheses): a member's name takes none.
#define TRAINING(member) \
    [](auto& scenario) -> auto& { return std::get<TrainingWorkload>(scenario.workload).member; }
// NOLINTEND(bugprone-macro-parentheses)

constexpr double most_ranks = 1 << 24;

std::vector<Key> dimension_keys() {
    const std::string at = "workload.dimensions.";
    const std::string model = "the model's";
    return {
        map_key("workload.dimensions", "The model's shape where it differs from the library's, or all of a new one's."),
        whole_key(at + "layers", TRAINING(dimensions.layers), 1, 1e5, "Transformer layers.", model),
        whole_key(at + "hidden", TRAINING(dimensions.hidden), 1, 1e6, "Width of a token's vector.", model),
        whole_key(at + "heads", TRAINING(dimensions.heads), 1, 1e5, "Attention heads.", model),
        whole_key(at + "kv_heads", TRAINING(dimensions.kv_heads), 1, 1e5, "Heads of keys and values.",
                  model + ", or `heads`"),
        whole_key(at + "head_size", TRAINING(dimensions.head_size), 1, 1e5, "Width of one head.",
                  model + ", or `hidden / heads`"),
        whole_key(at + "ffn", TRAINING(dimensions.ffn), 1, 1e7, "Width of the feed-forward part.",
                  model + ", or `4 hidden`"),
        flag_key(at + "gated", TRAINING(dimensions.gated), "Its first product is two (SwiGLU); for a new model."),
        whole_key(at + "vocabulary", TRAINING(dimensions.vocabulary), 1, 1e8, "Tokens it knows.", model),
        whole_key(at + "experts", TRAINING(dimensions.experts), 1, 1e5, "Experts of a layer.", model),
        whole_key(at + "experts_per_token", TRAINING(dimensions.experts_per_token), 1, 1e4, "Experts a token visits.",
                  model),
        whole_key(at + "expert_ffn", TRAINING(dimensions.expert_ffn), 1, 1e7, "Width of one expert.", model),
    };
}

std::vector<Key> parallelism_keys() {
    const std::string at = "workload.parallelism.";
    return {
        map_key("workload.parallelism", "How the model and the batch are cut over the GPUs."),
        whole_key(at + "tensor", TRAINING(parallelism.tensor), 1, 65536, "GPUs that share every layer."),
        flag_key(at + "sequence", TRAINING(parallelism.sequence), "They also share norms and dropout, by tokens."),
        whole_key(at + "context", TRAINING(parallelism.context), 1, 65536, "GPUs that share every sequence."),
        whole_key(at + "expert", TRAINING(parallelism.expert), 1, 65536,
                  "GPUs over which the experts of a layer are spread."),
        whole_key(at + "pipeline", TRAINING(parallelism.pipeline), 1, 65536, "Stages of layers."),
        whole_key(at + "chunks", TRAINING(parallelism.chunks), 1, 4096,
                  "Pieces of the model on each stage; above 1 the pipeline is interleaved."),
        whole_key(at + "data", TRAINING(parallelism.data), 1, most_ranks, "Copies that share the batch.",
                  "what the GPUs allow"),
        whole_key(at + "shard", TRAINING(parallelism.shard), 1, most_ranks,
                  "Ranks that share out optimizer states and parameters.", "all that hold copies; hsdp: a node's"),
    };
}

std::vector<Key> step_keys() {
    const std::string overlap = "workload.overlap.";
    return {
        required(text_key("workload.model", TRAINING(model),
                          "Model of the library (`fabricast catalog list` shows them), or a name of yours with "
                          "`dimensions`.")),
        whole_key("workload.sequence_length", TRAINING(sequence_length), 1, 1e8, "Tokens of a sequence.",
                  "the model's"),
        whole_key("workload.global_batch", TRAINING(global_batch), 1, 1e9, "Sequences or images a step.",
                  "one micro-batch a data rank"),
        whole_key("workload.micro_batch", TRAINING(micro_batch), 1, 1e6, "Of them at once on one data rank."),
        word_key("workload.order", TRAINING(order), PipelineOrder::gpipe, "Of forward and backward in the pipeline."),
        word_key("workload.sharding", TRAINING(sharding), Sharding::hsdp,
                 "What data-parallel ranks share out: nothing, optimizer states, gradients too, parameters too; hsdp: "
                 "parameters inside a group."),
        size_key("workload.bucket", TRAINING(bucket),
                 "Gradients reduced at once; `0 B`: the framework's. A stage has at most twelve buckets, of a layer or "
                 "more."),
        whole_key("workload.gradient_bytes", TRAINING(gradient_bytes), 1, 8, "Of one gradient on the wire.",
                  "4, with zero-3 and hsdp 2"),
        map_key("workload.overlap", "Which communication runs beside computation."),
        flag_key(overlap + "gradients", TRAINING(overlap.gradients), "Reducing gradients, beside the backward pass."),
        flag_key(overlap + "parameters", TRAINING(overlap.parameters),
                 "Gathering parameters, beside the forward pass."),
        flag_key(overlap + "tensor", TRAINING(overlap.tensor), "Tensor-parallel traffic, beside its matrix products."),
        word_key("workload.recompute", TRAINING(recompute), Recompute::full,
                 "Activations computed again in the backward pass: none, attention only, every second layer, all."),
        word_key("workload.precision", TRAINING(precision), Precision::fp32, "Of the matrix products."),
        word_key("workload.attention", TRAINING(attention), AttentionKernel::unfused,
                 "Attention kernel; `auto`: the GPU's usual one."),
        word_key("workload.optimizer", TRAINING(optimizer), OptimizerKind::sgd, "The optimizer."),
        text_key("workload.framework", TRAINING(framework), "Training framework, a catalogue part."),
        flag_key("workload.compiled", TRAINING(compiled), "Element-wise kernels are fused; `false`: eager."),
        flag_key("workload.check_memory", TRAINING(check_memory), "Refuse what does not fit the GPUs."),
    };
}

#undef TRAINING

}  // namespace

std::vector<Key> training_keys() {
    std::vector<Key> keys = step_keys();
    append(keys, dimension_keys());
    append(keys, parallelism_keys());
    for (Key& key : keys) {
        key.of_kind = "training";
    }
    return keys;
}

}  // namespace fabricast
