#include "sim/plan/training/memory.hpp"

#include <algorithm>

namespace fabricast::inline training {

namespace {

// Bytes that one layer keeps for the backward pass of one micro-batch, without recomputation. Korthikanti et al. 2022,
// 4.1, product by product: for GPT 10 + 24 / t bytes per token and hidden element.
double layer_activations(const ModelShape& m, const TrainingWorkload& w, const Layout& layout, bool experts) {
    const double t = layout.t;
    const double shared = w.parallelism.sequence ? t : 1;
    const bool dropout = m.positions > 0;  // GPT has it; models without position embeddings do not
    // Two norms' inputs and outputs, dropout's masks; an eager norm keeps its input in fp32 as well.
    double bytes = ((dropout ? 10 : 8) + (w.compiled ? 0 : 8)) * m.hidden / shared;
    // Queries, keys and values, the attention's output; latent vectors.
    bytes += 2 * (m.query_width() + m.kv_heads * (m.head_size + m.value_head_size) + m.value_width()) / t;
    bytes += m.kv_rank > 0 ? 2 * (m.q_rank + m.kv_rank + m.rope_size) : 0;
    const double width = experts ? (m.experts_per_token + m.shared_experts) * m.expert_ffn : m.ffn;
    bytes += 2 * (m.gates() + 1) * width / t;
    if (experts) {  // tokens copied for each of their experts, and what comes back
        bytes += 2 * m.experts_per_token * m.hidden * (1 + 1 / shared);
    }
    return layout.tokens * bytes;
}

// Bytes of the scores of an unfused attention: the softmax's output, and with dropout also its output and mask.
double score_activations(const ModelShape& m, const Layout& layout) {
    return (m.positions > 0 ? 5 : 2) * m.heads * layout.tokens * layout.sequence / layout.t;
}

double in_flight(const TrainingWorkload& w, const Layout& layout, std::uint32_t stage) {
    if (w.order == PipelineOrder::gpipe) { return layout.micro_batches; }
    const double ahead =
        layout.v == 1 ? layout.p - stage : (2.0 * (layout.p - stage - 1) + (layout.v - 1) * layout.p + 1) / layout.v;
    return std::min<double>(ahead, layout.micro_batches);
}

// Adds the reserved memory, scales the activations, and sets the interval of the total.
void add_reserved(StepMemory& memory, const ComputeCosts& costs) {
    const Figure& reserved = costs.framework_figure("memory.reserved");
    const Figure& kept = costs.framework_figure("memory.activations");
    const double states = memory.parameters + memory.gradients + memory.optimizer;
    memory.activations *= kept.value.front();
    memory.reserved = reserved.value.front();
    memory.low80 = states + memory.activations * kept.low80 / kept.value.front() + reserved.low80;
    memory.high80 = states + memory.activations * kept.high80 / kept.value.front() + reserved.high80;
}

class HeldByStage {
public:
    HeldByStage(const ModelShape& model, const TrainingWorkload& w, const Layout& layout, const ComputeCosts& costs,
                const LayerCosts& layers, std::uint32_t stage)
        : model_(model), w_(w), layout_(layout), costs_(costs), stage_(stage) {
        for (std::uint32_t chunk = 0; chunk < layout.v; ++chunk) {
            const Layers here = layout.layers_of(model, stage, chunk);
            for (int i = 0; i < here.count; ++i) { (model.has_experts(here.first + i) ? sparse_ : dense_) += 1; }
            held_ += layers.held(here);
        }
        largest_layer_ = held_.total() / std::max(1.0, dense_ + sparse_);
        const bool last = stage + 1 == layout.p;
        ends_ = stage == 0 ? embedding_parameters(model) / layout.t : 0;
        ends_ += last ? head_parameters(model) / layout.t : 0;
        // A tied output matrix on another stage than the embedding is a copy.
        ends_ += last && layout.p > 1 && model.tied ? model.vocabulary * model.hidden / layout.t : 0;
        held_.shared += ends_;
    }

    StepMemory memory() const {
        const double shard = layout_.shard;
        const double experts_shard = std::max(1.0, shard / layout_.e);
        const auto held = [&](Sharding from) {
            const bool split = w_.sharding >= from;
            return held_.shared / (split ? shard : 1) + held_.experts / (split ? experts_shard : 1);
        };
        StepMemory out;
        out.parameters = 2 * held(Sharding::zero_3);
        out.gradients = gradient_bytes(w_) * held(Sharding::zero_2);
        out.optimizer = (w_.optimizer == OptimizerKind::adam ? 12 : 8) * held(Sharding::zero_1);
        if (w_.sharding >= Sharding::zero_3) {  // gathered: embedding, head, the current layer, those fetched ahead
            out.parameters += 2 * (ends_ + (1 + costs_.framework("layers_ahead")) * largest_layer_);
        }
        if (w_.sharding >= Sharding::zero_2) {  // whole until they are scattered
            out.gradients += gradient_bytes(w_) * largest_layer_;
        }
        out.activations = activations();
        add_reserved(out, costs_);
        return out;
    }

private:
    // Bytes of all activations that are kept, and of the one layer that is being recomputed.
    double activations() const {
        const double stored = 2 * layout_.tokens * model_.hidden / (w_.parallelism.sequence ? layout_.t : 1.0);
        const bool scores = costs_.unfused_attention();
        double kept = 0, again = 0;
        for (const bool experts : {false, true}) {
            const double whole = layer_activations(model_, w_, layout_, experts);
            const double core = scores ? score_activations(model_, layout_) : 0;
            const double layer = w_.recompute == Recompute::full        ? stored
                                 : w_.recompute == Recompute::half      ? (whole + core + stored) / 2
                                 : w_.recompute == Recompute::selective ? whole
                                                                        : whole + core;
            kept += (experts ? sparse_ : dense_) * layer;
            const bool there = experts ? sparse_ > 0 : dense_ > 0;
            again = std::max(again, there && w_.recompute != Recompute::none ? whole + core - layer : 0);
        }
        double bytes = kept * in_flight(w_, layout_, stage_) + again;
        if (stage_ + 1 == layout_.p) {
            bytes += 6 * layout_.tokens * model_.vocabulary / layout_.t;  // logits in bf16 and fp32
        }
        return bytes;
    }

    const ModelShape& model_;
    const TrainingWorkload& w_;
    const Layout& layout_;
    const ComputeCosts& costs_;
    std::uint32_t stage_;
    double dense_ = 0, sparse_ = 0;  // layers
    Held held_;
    double ends_ = 0, largest_layer_ = 0;
};

}  // namespace

double gradient_bytes(const TrainingWorkload& workload) {
    if (workload.gradient_bytes > 0) { return workload.gradient_bytes; }
    return workload.sharding >= Sharding::zero_3 ? 2 : 4;
}

StepMemory step_memory(const ModelShape& model, const TrainingWorkload& w, const Layout& layout,
                       const ComputeCosts& costs, const LayerCosts& layers) {
    if (model.convolutional()) {
        const double all = parameters(model);
        double outputs = 0;
        for (const Convolution& c : model.convolutions) { outputs += c.count * c.out * c.width * c.width; }
        StepMemory memory;
        memory.parameters = memory.gradients = memory.optimizer = 4 * all;
        memory.activations = 2 * 4 * layout.tokens * outputs;
        add_reserved(memory, costs);
        return memory;
    }
    const StepMemory first = HeldByStage(model, w, layout, costs, layers, 0).memory();
    const StepMemory last = HeldByStage(model, w, layout, costs, layers, layout.p - 1).memory();
    return first.total() >= last.total() ? first : last;
}

}  // namespace fabricast::inline training
