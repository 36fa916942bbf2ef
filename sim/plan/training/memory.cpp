#include "sim/plan/training/memory.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/percentile.hpp"

namespace fabricast::inline training {

namespace {

// Bytes that Adam keeps of a parameter, where a 16-bit step keeps `half`: parameters of 32 bits have no fp32 copy
// beside them, and its two moments are left.
double adam_bytes(Precision precision, double half) {
    return element_bytes(precision) == 2 ? half : std::max(8.0, half - 4);
}

double optimizer_bytes(const LayerCosts& step) {
    const Precision precision = step.workload.precision;
    if (step.workload.optimizer == OptimizerKind::adam) {
        return adam_bytes(precision, step.costs.framework("memory.adam"));
    }
    return element_bytes(precision) == 2 ? 8 : 4;  // SGD's one moment, and the fp32 copy
}

// Bytes of a logit while its loss is computed, where 16-bit logits take `half`: with 32 bits, at least the logit and
// its gradient.
double logit_bytes(const LayerCosts& step, double half) {
    return element_bytes(step.workload.precision) == 2 ? half : std::max(8.0, half);
}

// Bytes that one layer keeps for the backward pass of one micro-batch, without recomputation. Korthikanti et al. 2022,
// 4.1, product by product: for GPT 10 + 24 / t bytes per token and hidden element.
double layer_activations(const LayerCosts& step, bool experts) {
    const ModelShape& m = step.model;
    const double t = step.layout.t;
    const double shared = step.workload.parallelism.sequence ? t : 1;
    const bool dropout = m.positions > 0;  // GPT has it; models without position embeddings do not
    // A frozen product keeps no input, for its weights have no gradient (TransformerEngine module/linear.py,
    // backward_needs_input). Attention's adapters need theirs.
    const bool frozen = step.workload.adapters > 0;
    const double element = element_bytes(step.workload.precision);
    // Two norms' inputs and outputs, dropout's masks; an eager norm may keep its input and its result in fp32 as well.
    // An input of 32 bits is that already.
    const double wide = step.workload.compiled ? 0 : step.costs.framework_or("memory.norms", 16) * 2 / element;
    // Inputs of 8-bit products are kept as they are read (TransformerEngine module/layernorm_linear.py,
    // grouped_linear.py).
    const double input = step.costs.narrow() ? 1 : element;
    double bytes = ((dropout ? 2 : 0) + 2 * element + 2 * input + wide - (frozen ? input : 0)) * m.hidden / shared;
    // Queries, keys and values, the attention's output; latent vectors.
    bytes += element * (m.query_width() + m.key_value_width() + m.value_width()) / t;
    if (m.kv_rank > 0 && step.workload.recompute == Recompute::selective) {  // Megatron-Core's mla_up_proj
        bytes -= element * (m.query_width() + m.key_value_width()) / t;
    }
    bytes += m.kv_rank > 0 ? element * (m.q_rank + m.kv_rank + m.rope_size) : 0;
    const double visits = m.experts_per_token * std::max(1.0, step.skew());  // of a token, on the busiest rank
    const double width = experts ? (visits + m.shared_experts) * m.expert_ffn : m.ffn;
    // The gates' products are kept twice where activation and product are kernels of their own.
    const double gate = step.costs.narrow() ? step.costs.framework_or("memory.gates", 2) : element;
    const double twice = m.gated && !step.workload.compiled ? element : 0;
    bytes += (gate * m.gates() + (frozen ? 0 : input) + twice) * width / t;
    // Inputs of the products behind a gather, where they are kept and not gathered again.
    bytes += step.costs.framework_or("memory.gathered", 0) * element / 2 * m.hidden * (1 - 1 / shared);
    if (experts) {  // tokens copied for each of their experts, and what comes back, where it is weighted there
        const double back = element * step.costs.framework_or("memory.returned", 1) / shared;
        bytes += m.routed_width() * (visits * input + m.experts_per_token * back);
    }
    return step.layout.tokens * bytes;
}

// Bytes of the scores of an unfused attention: the softmax's output, and with dropout also its output and mask; of a
// framework that does not change them in place, its input too.
double score_activations(const LayerCosts& step) {
    const auto& [costs, m, w, layout] = step;
    const double element = element_bytes(w.precision);
    return ((m.positions > 0 ? element + 1 : 0) + costs.framework_or("memory.scores", 2) * element / 2) * m.heads *
           layout.tokens * layout.sequence / layout.t;
}

double in_flight(const Layout& layout, std::uint32_t stage) {
    if (layout.order == PipelineOrder::gpipe) { return layout.micro_batches; }
    if (layout.order == PipelineOrder::zero_bubble) { return std::min(layout.p, layout.micro_batches); }
    // Of each chunk: p + 1 in both (DeepSeek-V3, table 2).
    if (layout.dual) { return (layout.p + 1) / 2.0; }
    const double ahead =
        layout.v == 1 ? layout.p - stage : (2.0 * (layout.p - stage - 1) + (layout.v - 1) * layout.p + 1) / layout.v;
    return std::min<double>(ahead, layout.micro_batches);
}

// Adds the reserved memory, scales the activations, and sets the interval of the total.
void add_reserved(StepMemory& memory, const ComputeCosts& costs, Precision precision) {
    const Figure& reserved = costs.framework_figure("memory.reserved");
    const Figure& kept = costs.framework_figure("memory.activations");
    const double states = memory.parameters + memory.gradients + memory.optimizer;
    memory.activations *= kept.value.front();
    memory.reserved = reserved.value.front();
    const Figure& kept_states = costs.framework_figure("memory.adam");
    const double least = adam_bytes(precision, kept_states.low80);
    const double spared = memory.optimizer * (1 - least / adam_bytes(precision, kept_states.value.front()));
    memory.low80 = states - spared + memory.activations * kept.low80 / kept.value.front() + reserved.low80;
    memory.high80 = states + memory.activations * kept.high80 / kept.value.front() + reserved.high80;
}

// Whether a chunk of the stage is the model's last.
bool has_head(const Layout& layout, std::uint32_t stage) {
    return stage + 1 == layout.p || (layout.dual && stage == 0);
}

using LayerCounts = std::array<double, 2>;  // of a stage: without experts and with them

// Of these, and of the scores of an unfused attention, what is kept: all, or what recomputation starts from.
struct KeptOfLayer {
    double kept = 0, again = 0;  // bytes; again: what is there while the layer is recomputed
};
KeptOfLayer kept_of_layer(const LayerCosts& step, bool experts) {
    const TrainingWorkload& w = step.workload;
    const double stored = element_bytes(w.precision) * step.layout.tokens * step.model.hidden /
                          (w.parallelism.sequence ? step.layout.t : 1.0);
    const double whole = layer_activations(step, experts);
    const double core = step.costs.unfused_attention() ? score_activations(step) : 0;
    const double kept = w.recompute == Recompute::full        ? stored
                        : w.recompute == Recompute::half      ? (whole + core + stored) / 2
                        : w.recompute == Recompute::selective ? whole
                                                              : whole + core;
    return {kept, w.recompute == Recompute::none ? 0 : whole + core - kept};
}

// Bytes of all activations that are kept on a GPU of the stage, and of the one layer that is being recomputed.
double activations(const LayerCosts& step, std::uint32_t stage, const LayerCounts& layers) {
    const TrainingWorkload& w = step.workload;
    const Layout& layout = step.layout;
    double kept = 0, again = 0;
    for (const bool experts : {false, true}) {
        const KeptOfLayer layer = kept_of_layer(step, experts);
        const double count = layers[experts ? 1 : 0];
        kept += count * layer.kept;
        again = std::max(again, count > 0 ? layer.again : 0);
    }
    double bytes = kept * (1 - w.offload.activations) * in_flight(layout, stage) + again;
    if (w.offload.activations > 0) {  // what is on its way to the host and from there: two layers
        bytes += 2 * w.offload.activations * kept / std::max(1.0, layers[0] + layers[1]);
    }
    if (has_head(layout, stage)) {
        const double fused = step.costs.framework("memory.logits");
        const double element = element_bytes(w.precision);
        const double half = w.compiled ? fused : step.costs.framework_or("memory.logits.eager", fused);
        const double split = logit_bytes(step, half) / layout.t;
        const double gathered = layout.t > 1 ? step.costs.framework_or("memory.logits.gathered", 0) * element / 2 : 0;
        bytes += step.model.predicted * layout.tokens * step.model.vocabulary *
                 (split + step.costs.framework_or("memory.logits.whole", 0) + gathered);
        if (w.deferred_embedding) {  // the output matrix's inputs and its results' gradients, of each micro-batch that
                                     // waits
            bytes += layout.deferred * step.model.predicted * layout.tokens * element *
                     (step.model.hidden + step.model.vocabulary / layout.t);
        }
    }
    return bytes;
}

// On a GPU of the stage.
StepMemory stage_memory(const LayerCosts& step, std::uint32_t stage) {
    const auto& [costs, model, w, layout] = step;
    LayerCounts layers{};
    Held all;
    for (std::uint32_t chunk = 0; chunk < layout.v; ++chunk) {
        const Layers here = layout.layers_of(model, stage, chunk);
        for (int i = 0; i < here.count; ++i) { layers[model.has_experts(here.first + i) ? 1 : 0] += 1; }
        all += step.held(here);
    }
    const double largest_layer = all.total() / std::max(1.0, layers[0] + layers[1]);
    const bool last = has_head(layout, stage);
    const bool first = stage == 0 || (layout.dual && last);
    double ends = first ? embedding_parameters(model) / layout.t : 0;
    ends += last ? head_parameters(model) / layout.t : 0;
    // A tied output matrix on another stage than the embedding is a copy.
    ends += last && layout.p > 1 && model.tied ? model.vocabulary * model.hidden / layout.t : 0;
    all.shared += ends;

    const double shard = layout.shard, expert_shard = layout.expert_shard();
    const Held trained = step.trained(all);
    const auto held = [&](const Held& of, bool split) {
        return of.shared / (split ? shard : 1) + of.experts / (split ? expert_shard : 1);
    };
    const double element = element_bytes(w.precision);
    StepMemory out;
    out.parameters = element * held(all, w.sharding >= Sharding::zero_3);
    if (w.adapters > 0 && costs.narrow()) {  // frozen weights of products need no copy that is wider than they are read
        const double layers_only = held({all.shared - ends, all.experts}, w.sharding >= Sharding::zero_3);
        out.parameters -= (2 - costs.framework_or("memory.frozen", 2)) * layers_only;
    }
    // Some sum gradients in fp32 beside those that a backward pass writes; one in 32 bits writes none of 16.
    const double beside = gradient_bytes(w) > 2 ? costs.framework_or("memory.gradients", 0) : 0;
    const double summed = beside >= element ? beside : 0;
    out.gradients = (gradient_bytes(w) + summed) * held(trained, w.sharding >= Sharding::zero_2);
    const double copies = w.sharding >= Sharding::zero_1 ? layout.copies() : 1;  // share out what each has
    out.optimizer =
        optimizer_bytes(step) * held(trained, w.sharding >= Sharding::zero_1) / copies * (w.offload.optimizer ? 0 : 1);
    // DeepSpeed gathers product by product and holds a number of parameters at most, and the product at work.
    const double live = costs.framework_or("memory.live", 0);
    const double product = model.hidden * std::max(model.gates() * model.ffn, model.query_width()) / layout.t;
    const auto whole = [&](double parameters) { return live > 0 ? std::min(parameters, live + product) : parameters; };
    if (w.sharding >= Sharding::zero_3) {  // gathered: embedding, head, the current layer, those fetched ahead
        out.parameters += element * whole(ends + (1 + costs.framework("layers_ahead")) * largest_layer);
    }
    if (w.sharding >= Sharding::zero_2) {  // whole until they are scattered
        out.gradients += gradient_bytes(w) * whole(step.trained({largest_layer, 0}).shared);
    }
    out.activations = activations(step, stage, layers);
    if (layout.micro_batches < 2 && layout.p == 1) {  // activations have left by the time that these gradients come
        const double freed = costs.framework_or("memory.gradients.freed", 0) / (gradient_bytes(w) + summed);
        out.activations = std::max(0.0, out.activations - std::min(1.0, freed) * out.gradients);
    }
    add_reserved(out, costs, w.precision);
    return out;
}

}  // namespace

double likely_bytes(const StepMemory& memory) {
    constexpr double upper_quartile = 0.6744897501960817;  // of the normal distribution
    return memory.total() * std::pow(memory.high80 / memory.total(), upper_quartile / normal_decile);
}

double kept_activations(const LayerCosts& step, const Layers& layers) {
    double bytes = 0;
    for (int i = 0; i < layers.count; ++i) {
        bytes += kept_of_layer(step, step.model.has_experts(layers.first + i)).kept;
    }
    return bytes * step.costs.framework("memory.activations");
}

StepMemory step_memory(const LayerCosts& step) {
    const ModelShape& model = step.model;
    if (model.convolutional()) {
        const double all = parameters(model);
        double outputs = 0;
        for (const Convolution& c : model.convolutions) { outputs += c.count * c.out * c.width * c.width; }
        StepMemory memory;
        memory.parameters = memory.gradients = memory.optimizer = 4 * all;
        // A convolution's output and its norm's, in fp32 whatever the step's precision.
        memory.activations = 2 * 4 * step.layout.tokens * outputs;
        for (const CustomLayer& c : model.custom) {
            memory.activations += step.layout.tokens * c.count * c.activations;
        }
        add_reserved(memory, step.costs, step.workload.precision);
        return memory;
    }
    // The second stage may have a layer more than the first, which has the embedding.
    const std::uint32_t last = step.layout.p - 1;
    StepMemory most = stage_memory(step, 0);
    for (const std::uint32_t stage : {std::min(1U, last), last}) {
        const StepMemory one = stage_memory(step, stage);
        if (one.total() > most.total()) { most = one; }
    }
    return most;
}

}  // namespace fabricast::inline training
