#include "sim/scenario/training_keys.hpp"

#include "sim/scenario/rows.hpp"

namespace fabricast::inline scenario {

namespace {

using namespace rows;

constexpr double most_ranks = 1 << 24;

Rows<TrainingWorkload> dimension_keys() {
    using D = ModelDimensions;
    const std::string model = "the model's";
    return map_keys<TrainingWorkload>(
        "dimensions", &TrainingWorkload::dimensions,
        "The model's shape where it differs from the library's, or all of a new one's.",
        {
            whole_key("layers", &D::layers, 1, 1e5, "Transformer layers.", model),
            whole_key("hidden", &D::hidden, 1, 1e6, "Width of a token's vector.", model),
            whole_key("heads", &D::heads, 1, 1e5, "Attention heads.", model),
            whole_key("kv_heads", &D::kv_heads, 1, 1e5, "Heads of keys and values.", model + ", or `heads`"),
            whole_key("head_size", &D::head_size, 1, 1e5, "Width of one head.", model + ", or `hidden / heads`"),
            whole_key("ffn", &D::ffn, 1, 1e7, "Width of the feed-forward part.", model + ", or `4 hidden`"),
            flag_key("gated", &D::gated, "Its first product is two (SwiGLU); for a new model."),
            whole_key("vocabulary", &D::vocabulary, 1, 1e8, "Tokens it knows.", model),
            whole_key("experts", &D::experts, 1, 1e5, "Experts of a layer.", model),
            whole_key("experts_per_token", &D::experts_per_token, 1, 1e4, "Experts a token visits.", model),
            whole_key("expert_ffn", &D::expert_ffn, 1, 1e7, "Width of one expert.", model),
        });
}

Rows<TrainingWorkload> parallelism_keys() {
    using P = Parallelism;
    return map_keys<TrainingWorkload>(
        "parallelism", &TrainingWorkload::parallelism, "How the model and the batch are cut over the GPUs.",
        {
            whole_key("tensor", &P::tensor, 1, 65536, "GPUs that share every layer."),
            flag_key("sequence", &P::sequence, "They also share norms and dropout, by tokens."),
            whole_key("context", &P::context, 1, 65536, "GPUs that share every sequence."),
            whole_key("expert", &P::expert, 1, 65536, "GPUs over which the experts of a layer are spread."),
            whole_key("pipeline", &P::pipeline, 1, 65536, "Stages of layers."),
            whole_key("chunks", &P::chunks, 1, 4096,
                      "Pieces of the model on each stage; above 1 the pipeline is interleaved."),
            whole_key("data", &P::data, 1, most_ranks, "Copies that share the batch.", "what the GPUs allow"),
            whole_key("shard", &P::shard, 1, most_ranks, "Ranks that share out optimizer states and parameters.",
                      "all that hold copies; hsdp: a node's"),
        });
}

Rows<TrainingWorkload> step_keys() {
    using W = TrainingWorkload;
    Rows<W> rows = {
        required(text_key("model", &W::model,
                          "Model of the library (`fabricast catalog list` shows them), or a name of yours with "
                          "`dimensions`.")),
        whole_key("sequence_length", &W::sequence_length, 1, 1e8, "Tokens of a sequence.", "the model's"),
        whole_key("global_batch", &W::global_batch, 1, 1e9, "Sequences or images a step.",
                  "one micro-batch a data rank"),
        whole_key("micro_batch", &W::micro_batch, 1, 1e6, "Of them at once on one data rank."),
        word_key("order", &W::order, PipelineOrder::gpipe, "Of forward and backward in the pipeline."),
        word_key("sharding", &W::sharding, Sharding::hsdp,
                 "What data-parallel ranks share out: nothing, optimizer states, gradients too, parameters too; hsdp: "
                 "parameters inside a group."),
        size_key("bucket", &W::bucket,
                 "Gradients reduced at once; `0 B`: the framework's. A stage has at most twelve buckets, of a layer or "
                 "more."),
        whole_key("gradient_bytes", &W::gradient_bytes, 1, 8, "Of one gradient on the wire.",
                  "4, with zero-3 and hsdp 2"),
    };
    append(rows, map_keys<W>(
                     "overlap", &W::overlap, "Which communication runs beside computation.",
                     {
                         flag_key("gradients", &Overlap::gradients, "Reducing gradients, beside the backward pass."),
                         flag_key("parameters", &Overlap::parameters, "Gathering parameters, beside the forward pass."),
                         flag_key("tensor", &Overlap::tensor, "Tensor-parallel traffic, beside its matrix products."),
                     }));
    append(
        rows,
        {
            word_key("recompute", &W::recompute, Recompute::full,
                     "Activations computed again in the backward pass: none, attention only, every second layer, all."),
            word_key("precision", &W::precision, Precision::fp32, "Of the matrix products."),
            word_key("attention", &W::attention, AttentionKernel::unfused,
                     "Attention kernel; `auto`: the GPU's usual one."),
            word_key("optimizer", &W::optimizer, OptimizerKind::sgd, "The optimizer."),
            text_key("framework", &W::framework, "Training framework, a catalogue part."),
            flag_key("compiled", &W::compiled, "Element-wise kernels are fused; `false`: eager."),
            flag_key("check_memory", &W::check_memory, "Refuse what does not fit the GPUs."),
        });
    return rows;
}

}  // namespace

std::vector<Key> training_keys() {
    Rows<TrainingWorkload> rows = step_keys();
    append(rows, dimension_keys());
    append(rows, parallelism_keys());
    return workload_keys("training", std::move(rows));
}

}  // namespace fabricast::inline scenario
