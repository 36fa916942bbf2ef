#include "sim/plan/training/layer_work.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace fabricast::inline training {

namespace {

Product by_operand(Product forward) {
    std::swap(forward.n, forward.k);
    return forward;
}

// The weights' fp32 gradient is read and written: 8 bytes an element.
Product by_weight(const Product& forward) {
    Product out = forward;
    out.m = forward.n;
    out.n = forward.k;
    out.k = forward.m;
    out.more_bytes = 8 * forward.n * forward.k;
    return out;
}

// Whether nothing fuses the kernels of a model with gates, rotated positions and RMS norms. Those of one without are as
// many either way.
bool kernels_apart(const LayerWork& step) { return step.model.gated && !step.workload.compiled; }

// Bytes of a token's element in both norms and the residuals around them, forward. An RMS norm may be as many
// kernels as it has operations; a layer norm has always been one.
double norm_bytes(const LayerWork& step) {
    const double fused = step.costs.gpu("traffic.norms");
    const double plain = kernels_apart(step) ? step.costs.framework_or("eager.norms", fused) : fused;
    return std::max(plain, step.costs.autocast() * fused);
}

// Bytes of an element of the feed-forward width. By itself, a gate's product writes what the activation has and reads
// it.
double activation_bytes(const LayerWork& step) {
    return 2 * (step.model.gates() + 1) + (kernels_apart(step) ? step.costs.framework_or("eager.gate", 0) : 0);
}

// Bytes of a token's rotated queries and keys beyond those of one kernel that reads and writes them.
double rotary_bytes(const LayerWork& step) {
    const ModelShape& m = step.model;
    if (!kernels_apart(step)) { return 0; }
    return step.costs.framework_or("eager.rotary", 0) * (m.query_width() + m.key_value_width() / 2);
}

// Weights of a layer's products that are kept in 32 bits and cast for each use, or their gradients.
double weight_cast_bytes(const LayerWork& step, bool experts) {
    if (!(step.costs.autocast() > 1)) { return 0; }
    const double dense = layer_parameters(step.model, experts) / step.layout.t;
    const double sparse = experts ? expert_parameters(step.model) / step.layout.x / step.layout.e : 0;
    return 6 * (dense + sparse);
}

// Frozen weights have no gradient.
Work product_of(const LayerWork& step, const Product& forward, bool backward) {
    if (step.workload.adapters == 0) { return trained_product(step.costs, forward, backward); }
    return step.costs.product(backward ? by_operand(forward) : forward);
}

}  // namespace

Work trained_product(const ComputeCosts& costs, const Product& forward, bool backward) {
    if (!backward) { return costs.product(forward); }
    Work weights = costs.product(by_weight(forward));
    weights.weights_s = weights.busy_s;
    return costs.product(by_operand(forward)) + weights;
}

// A forward product, or the two products of its backward pass: for the gradient of the operand and for that of the
// weights. Adapters stand beside attention's, in 16 bits (LoRA, arXiv 2106.09685, 4.2; MLPerf's llama2_70b_lora).
Work LayerWork::both(const Product& forward, bool backward) const {
    Work work = product_of(*this, forward, backward);
    if (workload.adapters > 0) {
        const auto rank = static_cast<double>(workload.adapters);
        work += trained_product(costs, {forward.m, rank, forward.k, 1, true}, backward);
        work += trained_product(costs, {forward.m, forward.n, rank, 1, true}, backward);
    }
    return work;
}

Work LayerWork::attention_products(bool backward) const {
    const ModelShape& m = model;
    const double t = layout.t;
    const double tokens = layout.tokens;
    Work work = both({tokens, m.hidden, m.value_width() / t}, backward);
    if (m.kv_rank > 0) {  // latent attention
        const double plain = m.head_size - m.rope_size;
        work += product_of(*this, {tokens, m.q_rank + m.kv_rank + m.rope_size, m.hidden}, backward);
        work += product_of(*this, {tokens, m.query_width() / t, m.q_rank}, backward);
        work += product_of(*this, {tokens, m.heads * (plain + m.value_head_size) / t, m.kv_rank}, backward);
        return work;
    }
    const double width = m.query_width() + m.key_value_width();
    const double with_memory = tokens * (1 + m.memory / layout.sequence);
    return m.attention_share() * (work + both({with_memory, width / t, m.hidden}, backward));
}

// A Mamba-2 layer: a product before the scan and one behind it; convolution, scan and gated norm are bound by memory.
Work LayerWork::state_space(bool backward) const {
    const double t = layout.t;
    if (!(model.ssm_layers > 0)) { return {}; }
    const double bytes = costs.gpu("traffic.scan") * layout.tokens * model.ssm_width() / t;
    return model.ssm_share() * (product_of(*this, {layout.tokens, model.ssm_inputs() / t, model.hidden}, backward) +
                                product_of(*this, {layout.tokens, model.hidden, model.ssm_width() / t}, backward) +
                                costs.elementwise((backward ? 2 : 1) * bytes, costs.gpu("elementwise.kernels")));
}

Work LayerWork::dense_products(double width, double tokens, bool backward) const {
    const double t = layout.t;
    return product_of(*this, {tokens, model.gates() * width / t, model.hidden}, backward) +
           product_of(*this, {tokens, model.hidden, width / t}, backward);
}

// Tokens visit experts_per_token experts each. A rank has experts / e of them, shared with x ranks, and these x ranks
// get what all ranks of their group send to them: as many tokens as they sent themselves.
Work LayerWork::expert_products(bool backward) const {
    const double here = model.experts / layout.e, x = layout.x;
    const double each = layout.tokens * x / layout.t * model.experts_per_token / here;
    const bool grouped = costs.framework_or("experts.fused", 0) > 0;
    Product in{each, model.gates() * model.expert_ffn / x, model.routed_width(), here, false, grouped};
    Product out{each, model.routed_width(), model.expert_ffn / x, here, false, grouped};
    Work work = product_of(*this, in, backward) + product_of(*this, out, backward);
    const double usual = workload.balanced_routing ? 1 : costs.framework("expert_imbalance");
    return (skew() > 0 ? skew() : usual) * work;
}

Work LayerWork::attention(bool backward) const {
    const Work core = costs.attention(model, layout.tokens, model.document + model.memory, 1.0 / layout.t, backward);
    // Scores of relative positions are half as much again as those of keys, and of values.
    return model.attention_share() * (model.relative ? 1.5 : 1) * core;
}

// Norms, residuals and dropout; activation; rotary, bias and split; routing; casts to 8 bits. Bytes per token:
// docs/training.md, element-wise kernels.
Work LayerWork::small_kernels(bool experts, bool backward) const {
    const ModelShape& m = model;
    const double t = layout.t;
    const double shared = workload.parallelism.sequence ? t : 1;
    const double tokens = layout.tokens;
    const double qkv = m.query_width() + m.key_value_width();
    // Grouped products of experts that activate and cast what they write leave neither to a kernel of its own.
    const bool fused = experts && costs.narrow() && costs.framework_or("experts.fused", 0) > 0;
    const double width = experts ? ((fused ? 0 : m.experts_per_token) + m.shared_experts) * m.expert_ffn : m.ffn;
    double bytes = norm_bytes(*this) * m.hidden / shared + activation_bytes(*this) * width / t +
                   m.attention_share() * (4 * qkv + rotary_bytes(*this)) / t;
    if (experts) {
        const double copies = m.experts_per_token * m.routed_width();
        bytes += costs.gpu("traffic.routing") * copies / shared + costs.gpu("traffic.gathering") * copies;
    }
    const double routing = experts ? costs.framework_or("routing.kernels", 0) : 0;
    bytes = (backward ? 2 : 1) * tokens * bytes + weight_cast_bytes(*this, experts);
    Work work = costs.elementwise(bytes, costs.gpu("elementwise.kernels") + routing);
    if (experts && model.experts > layout.e && workload.dispatch != Dispatch::once) {
        // What an all-to-all brings stands by sender: it is copied by expert, and back (Megatron-Core,
        // token_dispatcher.py, sort_chunks_by_idxs).
        const double come = tokens * m.experts_per_token * layout.x / t;
        work += costs.elementwise(2 * 2 * 2 * come * m.routed_width(), 2);
    }
    if (costs.narrow()) {
        const double first = costs.gpu("cast.norms") * m.hidden / shared + costs.gpu("cast.inputs") * m.hidden;
        const double rest = backward ? qkv + m.gates() * width : m.query_width() + width;
        work += costs.cast(tokens * (first + costs.gpu("cast.products") * rest / t));
    }
    return work;
}

// All work of a layer except the core of its attention.
Work LayerWork::around_attention(bool experts, bool backward) const {
    Work work = attention_products(backward) + state_space(backward) + small_kernels(experts, backward);
    if (!experts) { return work + dense_products(model.ffn, layout.tokens, backward); }
    work += expert_products(backward);
    if (model.latent_experts()) {  // LatentMoE (Nemotron 3, arXiv 2512.20856): each rank narrows and widens its tokens
        const double tokens = layout.tokens / (workload.parallelism.sequence ? layout.t : 1);
        work += product_of(*this, {tokens, model.expert_hidden, model.hidden}, backward);
        work += product_of(*this, {tokens, model.hidden, model.expert_hidden}, backward);
    }
    if (model.shared_experts > 0) {
        work += dense_products(model.shared_experts * model.expert_ffn, layout.tokens, backward);
    }
    return work;
}

Work LayerWork::embedding() const {
    return costs.elementwise(costs.gpu("traffic.embedding") * layout.tokens * model.hidden);
}

Work LayerWork::head(bool backward) const {
    const double t = layout.t;
    const double tokens = model.predicted * layout.tokens;
    const Product logits{tokens, model.vocabulary / t, model.hidden, 1, true};
    const Work work = product_of(*this, logits, backward);
    // Megatron's own loss and PyTorch's, if nothing fuses their kernels.
    const std::string kernels = workload.compiled ? "traffic.loss" : "traffic.loss.eager";
    const std::string traffic =
        workload.compiled && workload.fused_loss ? "traffic.logits" : kernels + (backward ? ".backward" : ".forward");
    const Work loss = costs.elementwise(costs.gpu(traffic) * tokens * model.vocabulary / t);
    return ComputeCosts::as(WorkKind::logits, work + loss);
}

}  // namespace fabricast::inline training
