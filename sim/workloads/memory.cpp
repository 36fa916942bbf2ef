#include "sim/workloads/memory.hpp"

#include <algorithm>

namespace fabricast {

namespace {

// Kept of one layer for the backward pass of one micro-batch.
double layer_activations(const ModelShape& m, const TrainingWorkload& w, const Layout& layout) {
    const double cell = layout.tokens * m.hidden;
    const double t = layout.t;
    const double shared = w.parallelism.sequence ? t : 1;
    if (w.recompute == Recompute::full) {
        return 2 * cell / shared;
    }
    double bytes = 10 * cell / shared + 24 * cell / t;
    if (w.attention == AttentionKernel::unfused && w.recompute == Recompute::none) {
        bytes += 5 * m.heads * layout.tokens * layout.sequence / t;  // scores, softmax and dropout's mask
    }
    return w.recompute == Recompute::half ? bytes / 2 + cell / shared : bytes;
}

double in_flight(const TrainingWorkload& w, const Layout& layout, std::uint32_t stage) {
    if (w.order == PipelineOrder::gpipe) {
        return layout.micro_batches;
    }
    const double ahead =
        layout.v == 1 ? layout.p - stage : (2.0 * (layout.p - stage - 1) + (layout.v - 1) * layout.p + 1) / layout.v;
    return std::min<double>(ahead, layout.micro_batches);
}

StepMemory of_stage(const ModelShape& model, const TrainingWorkload& w, const Layout& layout, const LayerCosts& costs,
                    std::uint32_t stage) {
    double held = 0;
    double layers = 0;
    for (std::uint32_t chunk = 0; chunk < layout.v; ++chunk) {
        held +=
            costs.parameters_of(layout.first_layer(model, stage, chunk), layout.layers_of(model, stage, chunk), false);
        layers += layout.layers_of(model, stage, chunk);
    }
    held += stage == 0 ? embedding_parameters(model) / layout.t : 0;
    held += stage + 1 == layout.p ? head_parameters(model) / layout.t : 0;
    const double shard = layout.shard;
    const auto at_least = [&](Sharding what) { return w.sharding >= what ? shard : 1.0; };
    StepMemory out;
    out.parameters = 2 * held / at_least(Sharding::zero_3);
    out.gradients = 4 * held / at_least(Sharding::zero_2);
    out.optimizer = (w.optimizer == OptimizerKind::adam ? 12 : 8) * held / at_least(Sharding::zero_1);
    out.activations = layers * layer_activations(model, w, layout) * in_flight(w, layout, stage);
    if (stage + 1 == layout.p) {
        out.activations += 6 * layout.tokens * model.vocabulary / layout.t;  // logits in bf16 and fp32
    }
    return out;
}

}  // namespace

StepMemory step_memory(const ModelShape& model, const TrainingWorkload& w, const Layout& layout,
                       const LayerCosts& costs) {
    if (model.convolutional()) {
        const double all = parameters(model);
        double outputs = 0;
        for (const Convolution& c : model.convolutions) {
            outputs += c.count * c.out * c.width * c.width;
        }
        return {4 * all, 4 * all, 4 * all, 2 * 4 * layout.tokens * outputs};
    }
    const StepMemory first = of_stage(model, w, layout, costs, 0);
    const StepMemory last = of_stage(model, w, layout, costs, layout.p - 1);
    return first.total() >= last.total() ? first : last;
}

}  // namespace fabricast
