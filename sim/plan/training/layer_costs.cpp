#include "sim/plan/training/layer_costs.hpp"

#include <algorithm>
#include <cmath>
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

Work trained_product(const ComputeCosts& costs, const Product& forward, bool backward) {
    if (!backward) { return costs.product(forward); }
    Work weights = costs.product(by_weight(forward));
    weights.weights_s = weights.busy_s;
    return costs.product(by_operand(forward)) + weights;
}

// Frozen weights have no gradient.
Work product_of(const LayerCosts& step, const Product& forward, bool backward) {
    if (step.workload.adapters == 0) { return trained_product(step.costs, forward, backward); }
    return step.costs.product(backward ? by_operand(forward) : forward);
}

// A layer of a convolutional network.
struct NetworkLayer {
    Work forward, backward;
    double parameters = 0;
};

// A convolution is the product of its unfolded input: width^2 * tokens rows, kernel^2 * in columns. Norm and activation
// pass over its output four times forward and six times backward.
std::vector<NetworkLayer> network(const LayerCosts& step) {
    const ComputeCosts& costs = step.costs;
    const double images = step.layout.tokens;
    const Precision precision = step.workload.precision;
    const double size = precision == Precision::fp32 || precision == Precision::tf32 ? 4 : 2;
    std::vector<NetworkLayer> layers;
    for (const Convolution& c : step.model.convolutions) {
        const double output = images * c.width * c.width * c.out;
        const double flops = 2 * output * c.in * c.kernel * c.kernel;
        const double bytes = size * (output + images * c.width * c.width * c.in);
        const Work product = costs.convolution(flops, bytes);
        layers.push_back({c.count * (product + costs.elementwise(4 * size * output, 2)),
                          c.count * (2.0 * product + costs.elementwise(6 * size * output, 4)), c.parameters()});
    }
    for (const Convolution& p : step.model.products) {
        const Product product{images, p.out, p.in};
        layers.push_back(
            {trained_product(costs, product, false), trained_product(costs, product, true), p.in * p.out + p.out});
    }
    return layers;
}

}  // namespace

Held& Held::operator+=(const Held& other) {
    shared += other.shared;
    experts += other.experts;
    return *this;
}

Phases operator*(double layers, const Phases& phases) {
    Phases all = phases;
    for (Phase& phase : all) {
        phase.work = layers * phase.work;
        for (GroupCall& call : phase.calls) { call.times *= layers; }
    }
    return all;
}

// A forward product, or the two products of its backward pass: for the gradient of the operand and for that of the
// weights. Adapters stand beside it in 16 bits where it makes queries, keys and values (LoRA, arXiv 2106.09685, 4.2).
Work LayerCosts::both(const Product& forward, bool backward) const {
    Work work = product_of(*this, forward, backward);
    if (workload.adapters > 0) {
        const auto rank = static_cast<double>(workload.adapters);
        work += trained_product(costs, {forward.m, rank, forward.k, 1, true}, backward);
        work += trained_product(costs, {forward.m, forward.n, rank, 1, true}, backward);
    }
    return work;
}

Work LayerCosts::attention_products(bool backward) const {
    const ModelShape& m = model;
    const double t = layout.t;
    const double tokens = layout.tokens;
    Work work = product_of(*this, {tokens, m.hidden, m.value_width() / t}, backward);
    if (m.kv_rank > 0) {  // latent attention
        const double plain = m.head_size - m.rope_size;
        work += product_of(*this, {tokens, m.q_rank + m.kv_rank + m.rope_size, m.hidden}, backward);
        work += product_of(*this, {tokens, m.query_width() / t, m.q_rank}, backward);
        work += product_of(*this, {tokens, m.heads * (plain + m.value_head_size) / t, m.kv_rank}, backward);
        return work;
    }
    const double width = m.query_width() + m.key_value_width();
    return m.attention_share() * (work + both({tokens, width / t, m.hidden}, backward));
}

// A Mamba-2 layer: a product before the scan and one behind it; convolution, scan and gated norm are bound by memory.
Work LayerCosts::state_space(bool backward) const {
    const double t = layout.t;
    if (!(model.ssm_layers > 0)) { return {}; }
    const double bytes = costs.gpu("traffic.scan") * layout.tokens * model.ssm_width() / t;
    return model.ssm_share() * (product_of(*this, {layout.tokens, model.ssm_inputs() / t, model.hidden}, backward) +
                                product_of(*this, {layout.tokens, model.hidden, model.ssm_width() / t}, backward) +
                                costs.elementwise((backward ? 2 : 1) * bytes, costs.gpu("elementwise.kernels")));
}

Work LayerCosts::dense_products(double width, double tokens, bool backward) const {
    const double t = layout.t;
    return product_of(*this, {tokens, model.gates() * width / t, model.hidden}, backward) +
           product_of(*this, {tokens, model.hidden, width / t}, backward);
}

// Tokens visit experts_per_token experts each. A rank has experts / e of them, shared with x ranks, and these x ranks
// get what all ranks of their group send to them: as many tokens as they sent themselves.
Work LayerCosts::expert_products(bool backward) const {
    const double here = model.experts / layout.e, x = layout.x;
    const double each = layout.tokens * x / layout.t * model.experts_per_token / here;
    Product in{each, model.gates() * model.expert_ffn / x, model.hidden, here};
    Product out{each, model.hidden, model.expert_ffn / x, here};
    Work work = product_of(*this, in, backward) + product_of(*this, out, backward);
    return (workload.balanced_routing ? 1 : costs.framework("expert_imbalance")) * work;
}

Work LayerCosts::attention(bool backward) const {
    return model.attention_share() * costs.attention(model, layout.tokens, model.document, 1.0 / layout.t, backward);
}

// Bytes of a rank's tokens on their way to the experts. Of `copies` that go to random ones of `places`, so many arrive
// at different places: places * (1 - (1 - 1 / places)^copies).
GroupCall LayerCosts::to_experts() const {
    double copies = model.experts_per_token;
    if (workload.dispatch == Dispatch::once) {
        const double nodes = std::ceil(double(layout.e) * layout.x / layout.gpus_per_node);
        const double limit = model.node_limit > 0 && nodes > 1 ? model.node_limit : layout.e;
        const double places = std::min(nodes > 1 ? nodes : layout.e, limit);
        copies = places * (1 - std::pow(1 - 1 / places, copies));
    }
    // There in 8 bits with a 32-bit scale for 128 elements, and back in 16: the mean of both.
    const double width = workload.narrow_dispatch ? (1 + 4.0 / 128 + 2) / 2 : 2;
    return {CommKind::expert, Collective::all_to_all, width * copies * layout.tokens * model.hidden / layout.t, 1};
}

// Norms, residuals and dropout; activation; rotary, bias and split; routing; casts to 8 bits. Bytes per token:
// docs/training.md, element-wise kernels.
Work LayerCosts::small_kernels(bool experts, bool backward) const {
    const ModelShape& m = model;
    const double t = layout.t;
    const double shared = workload.parallelism.sequence ? t : 1;
    const double tokens = layout.tokens;
    const double qkv = m.query_width() + m.key_value_width();
    const double width = experts ? m.experts_per_token * m.expert_ffn + m.shared_experts * m.expert_ffn : m.ffn;
    double bytes = costs.gpu("traffic.norms") * m.hidden / shared + 2 * (m.gates() + 1) * width / t +
                   m.attention_share() * 4 * qkv / t;
    if (experts) {
        const double copies = m.experts_per_token * m.hidden;
        bytes += costs.gpu("traffic.routing") * copies / shared + costs.gpu("traffic.gathering") * copies;
    }
    Work work = costs.elementwise((backward ? 2 : 1) * tokens * bytes, costs.gpu("elementwise.kernels"));
    if (costs.narrow()) {
        const double first = costs.gpu("cast.norms") * m.hidden / shared + costs.gpu("cast.inputs") * m.hidden;
        const double rest = backward ? qkv + m.gates() * width : m.query_width() + width;
        work += costs.cast(tokens * (first + costs.gpu("cast.products") * rest / t));
    }
    return work;
}

// Tensor parallelism: gather and scatter around attention and around the feed-forward part, each moving the activations
// of all its ranks (Korthikanti et al. 2022, 4.2); without sequence parallelism two all-reduces. With overlap the calls
// are cut into as many pieces as ranks: the first piece runs alone, the rest during the products. Ranks that share
// experts gather and scatter what has come for these instead, one copy of a token for each expert; whole experts need
// nothing of the kind, but shared experts are cut like a dense layer.
void LayerCosts::add_tensor(Phases& phases, bool experts, double times, Work& work) const {
    if (layout.t == 1 && (layout.x == 1 || !experts)) { return; }
    const double bytes = 2 * layout.tokens * model.hidden;
    std::vector<GroupCall> calls;
    if (workload.parallelism.sequence) {
        const double gathered = costs.narrow() ? bytes / 2 : bytes;  // 8-bit operands are sent as 8 bits
        calls = {{CommKind::tensor, Collective::all_gather, gathered, 2 * times},
                 {CommKind::tensor, Collective::reduce_scatter, bytes, 2 * times}};
        if (experts) {
            if (!(model.shared_experts > 0)) { calls[0].times = calls[1].times = times; }
        }
        if (experts && layout.x > 1) {
            const double spread = bytes * layout.x / layout.t * model.experts_per_token;
            calls.push_back({CommKind::tensor, Collective::all_gather, spread, times, 0, true});
            calls.push_back({CommKind::tensor, Collective::reduce_scatter, spread, times, 0, true});
        }
    } else {
        calls = {{CommKind::tensor, Collective::all_reduce, bytes, 2 * times}};
    }
    if (!workload.overlap.tensor) {
        for (const GroupCall& call : calls) { phases.push_back({{}, {call}}); }
        return;
    }
    Phase beside{work, {}};
    for (GroupCall& call : calls) {
        GroupCall alone = call;
        alone.times /= layout.t;
        phases.push_back({{}, {alone}});
        call.times -= alone.times;
        beside.calls.push_back(call);
    }
    phases.push_back(beside);
    work = {};
}

// All work of a layer except the core of its attention.
Work LayerCosts::around_attention(bool experts, bool backward) const {
    Work work = attention_products(backward) + state_space(backward) + small_kernels(experts, backward);
    if (!experts) { return work + dense_products(model.ffn, layout.tokens, backward); }
    work += expert_products(backward);
    if (model.shared_experts > 0) {
        work += dense_products(model.shared_experts * model.expert_ffn, layout.tokens, backward);
    }
    return work;
}

// A layer's phases. `passes`: how often its tensors are gathered and scattered, and its tokens sent to the experts and
// back; `rings`: how often keys and values go round the ring of context ranks.
Phases LayerCosts::layer(bool experts, Work work, const Work& core, double passes, double rings) const {
    Phases phases;
    if (layout.c == 1) { work += core; }
    add_tensor(phases, experts, passes, work);
    Phase last{work, {}};
    if (experts && layout.e > 1) {
        GroupCall call = to_experts();
        call.times = 2 * passes;
        workload.overlap.experts ? last.calls.push_back(call) : phases.push_back({{}, {call}});
    }
    if (layout.c == 1) {
        phases.push_back(last);
        return phases;
    }
    // Keys and values go round a ring: attention to the rank's own block first, to the others as they arrive.
    const double c = layout.c;
    const double bytes = 2 * layout.tokens * model.kv_heads * (model.head_size + model.value_head_size) / layout.t;
    last.work += (1 / c) * core;
    phases.push_back(last);
    phases.push_back({((c - 1) / c) * core, {{CommKind::context, Collective::sendrecv, bytes, rings * (c - 1)}}});
    return phases;
}

Phases LayerCosts::forward(bool experts) const {
    return layer(experts, around_attention(experts, false), attention(false), 1, 1);
}

// Keys and values go round the ring, and so do their gradients. Recomputation repeats the communication, too: that of
// the forward pass of each layer, or of every second one.
Phases LayerCosts::backward(bool experts) const {
    const double again = workload.recompute == Recompute::full ? 1 : workload.recompute == Recompute::half ? 0.5 : 0;
    Work work = around_attention(experts, true);
    Work core = attention(true);
    if (again > 0) {
        work += again * around_attention(experts, false);
        core += again * attention(false);
    } else if (workload.recompute == Recompute::selective && workload.attention == AttentionKernel::unfused) {
        core += attention(false);  // a fused kernel recomputes anyway
    }
    return layer(experts, work, core, 1 + again, 2 + again);
}

Work LayerCosts::embedding() const {
    return costs.elementwise(costs.gpu("traffic.embedding") * layout.tokens * model.hidden);
}

Work LayerCosts::head(bool backward) const {
    const double t = layout.t;
    const double tokens = model.predicted * layout.tokens;
    const Product logits{tokens, model.vocabulary / t, model.hidden, 1, true};
    const Work work = product_of(*this, logits, backward);
    const Work loss = costs.elementwise(costs.gpu("traffic.logits") * tokens * model.vocabulary / t);
    return ComputeCosts::as(WorkKind::logits, work + loss);
}

Piece LayerCosts::piece(const Layers& layers) const {
    double sparse = 0;
    for (int i = 0; i < layers.count; ++i) { sparse += model.has_experts(layers.first + i) ? 1 : 0; }
    const double dense = layers.count - sparse;
    Piece piece;
    const auto append = [](Phases& phases, const Phases& more) {
        phases.insert(phases.end(), more.begin(), more.end());
    };
    if (dense > 0) { append(piece.forward, dense * forward(false)); }
    if (sparse > 0) {
        append(piece.forward, sparse * forward(true));
        append(piece.backward, sparse * backward(true));
    }
    if (dense > 0) { append(piece.backward, dense * backward(false)); }
    piece.held = held(layers);
    return piece;
}

ChunkEnds LayerCosts::ends(std::uint32_t stage, std::uint32_t chunk) const {
    ChunkEnds ends;
    if (model.convolutional()) { return ends; }
    if (stage == 0 && chunk == 0) {
        ends.before = embedding();
        ends.front_parameters = embedding_parameters(model) / layout.t;
    }
    if (stage + 1 == layout.p && chunk + 1 == layout.v) {
        ends.after = (1 + workload.next_tokens) * head(false);
        ends.head_back = (1 + workload.next_tokens) * head(true);
        ends.back_parameters = head_parameters(model) / layout.t;
    }
    return ends;
}

std::vector<Piece> LayerCosts::network_pieces(double bucket) const {
    std::vector<Piece> pieces;
    const std::vector<NetworkLayer> layers = network(*this);
    for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
        if (pieces.empty() || gradient_bytes(workload) * pieces.front().held.shared >= bucket) {
            pieces.insert(pieces.begin(), Piece{{Phase{}}, {Phase{}}, {}});
        }
        Piece& piece = pieces.front();
        piece.forward.front().work += layer->forward;
        piece.backward.front().work += layer->backward;
        piece.held.shared += layer->parameters;
    }
    return pieces;
}

double LayerCosts::launch_seconds(const Layers& layers, bool forward) const {
    if (workload.graphs || model.convolutional()) { return 0; }
    const double dense = costs.framework_or("host.layer", 0);
    const double sparse = costs.framework_or("host.expert", 0) * model.experts / layout.e;
    double seconds = 0;
    for (int i = 0; i < layers.count; ++i) { seconds += dense + (model.has_experts(layers.first + i) ? sparse : 0); }
    const bool again = !forward && (workload.recompute == Recompute::full || workload.recompute == Recompute::half);
    return seconds * (again ? workload.recompute == Recompute::full ? 2 : 1.5 : 1);
}

GroupCall LayerCosts::boundary() const {
    return {CommKind::pipeline, Collective::sendrecv, 2 * layout.tokens * model.hidden / layout.t, 1};
}

Held LayerCosts::held(const Layers& layers) const {
    double all = 0, shared = 0;
    for (int i = 0; i < layers.count; ++i) {
        const bool experts = model.has_experts(layers.first + i);
        const double one = layer_parameters(model, experts) / layout.t;
        shared += one;
        all += one;
        all += experts ? expert_parameters(model) / layout.x / layout.e : 0;
    }
    return {shared, all - shared};
}

// Adapters of rank r beside a product m x n have r (m + n) parameters.
Held LayerCosts::trained(const Held& held) const {
    if (workload.adapters == 0) { return held; }
    const double widths = model.hidden + model.query_width() + model.key_value_width();
    return {std::min(1.0, workload.adapters * widths / layer_parameters(model, false)) * held.shared, 0};
}

}  // namespace fabricast::inline training
