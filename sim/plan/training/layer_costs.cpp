#include "sim/plan/training/layer_costs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fabricast::inline training {

namespace {

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
    const double size = element_bytes(step.workload.precision);
    std::vector<NetworkLayer> layers;
    for (const Convolution& c : step.model.convolutions) {
        const double output = images * c.width * c.width * c.out;
        const double flops = 2 * output * c.in * c.kernel * c.kernel;
        const double bytes = size * (output + images * c.width * c.width * c.in);
        const Work product = costs.roofline("conv.", flops, bytes);
        layers.push_back({c.count * (product + costs.elementwise(8 * output, 2)),
                          c.count * (2.0 * product + costs.elementwise(12 * output, 4)), c.parameters()});
    }
    for (const Convolution& p : step.model.products) {
        const Product product{images, p.out, p.in};
        layers.push_back(
            {trained_product(costs, product, false), trained_product(costs, product, true), p.in * p.out + p.out});
    }
    for (const CustomLayer& c : step.model.custom) {
        const Work forward = costs.roofline("gemm.", images * c.flops, images * c.bytes + size * c.parameters);
        layers.push_back({c.count * forward, c.count * (2.0 * forward), c.count * c.parameters});
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
    const double width = workload.narrow_dispatch ? (1 + 4.0 / 128 + 2) / 2 : element_bytes(workload.precision);
    // All wait for the busiest rank, which takes in more.
    const double most = std::max(1.0, skew());
    return {CommKind::expert, Collective::all_to_all,
            most * width * copies * layout.tokens * model.routed_width() / layout.t, 1};
}

// Tensor parallelism: gather and scatter around attention and around the feed-forward part, each moving the activations
// of all its ranks (Korthikanti et al. 2022, 4.2); without sequence parallelism two all-reduces. With overlap the calls
// are cut into as many pieces as ranks: the first piece runs alone, the rest during the products. Ranks that share
// experts gather and scatter what has come for these instead, one copy of a token for each expert, always alone: the
// products of experts communicate outside TransformerEngine (Megatron-Core, explicit_expert_comm). Whole experts need
// nothing of the kind, but shared experts are cut like a dense layer.
void LayerCosts::add_tensor(Phases& phases, bool experts, double times, Work& work) const {
    if (layout.t == 1 && (layout.x == 1 || !experts)) { return; }
    const double bytes = element_bytes(workload.precision) * layout.tokens * model.hidden;
    std::vector<GroupCall> calls;
    if (workload.parallelism.sequence) {
        const double gathered = costs.narrow() ? bytes / 2 : bytes;  // 8-bit operands are sent as 8 bits
        calls = {{CommKind::tensor, Collective::all_gather, gathered, 2 * times},
                 {CommKind::tensor, Collective::reduce_scatter, bytes, 2 * times}};
        if (experts && !(model.shared_experts > 0)) { calls[0].times = calls[1].times = times; }
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
        if (!call.of_expert) { alone.times /= layout.t; }
        phases.push_back({{}, {alone}});
        call.times -= alone.times;
        if (call.times > 0) { beside.calls.push_back(call); }
    }
    phases.push_back(beside);
    work = {};
}

// A layer's phases. `passes`: how often its tensors are gathered and scattered, and its tokens sent to the experts and
// back; `rings`: how often keys and values, or their gradients, go to all context ranks.
Phases LayerCosts::layer(bool experts, Work work, const Work& core, double passes, double rings) const {
    Phases phases;
    if (layout.c == 1) { work += core; }
    add_tensor(phases, experts, passes, work);
    Phase last{work, {}};
    if (experts && layout.e > 1) {
        GroupCall call = to_experts();
        call.times = 2 * passes;
        if (!workload.overlap.experts) {
            phases.push_back({{}, {call}});
        } else {
            if (!phases.empty() && phases.back().work.busy_s > 0) {  // tensor traffic runs beside the work already
                last = std::move(phases.back());
                phases.pop_back();
            }
            last.calls.push_back(call);
        }
    }
    if (layout.c == 1) {
        phases.push_back(last);
    } else {
        add_context(phases, last, core, rings);
    }
    return phases;
}

// A ring: attention to the rank's own block first, to the others as they arrive. Gathered: before attention; gradients
// are scattered, as many bytes. Ulysses: queries, keys and values there, attention's result back; the same for
// gradients.
void LayerCosts::add_context(Phases& phases, Phase& last, const Work& core, double rings) const {
    const double c = layout.c;
    const double element = element_bytes(workload.precision) * layout.tokens / layout.t;
    const double block = element * model.key_value_width();
    if (workload.context_by == ContextBy::ring) {
        last.work += (1 / c) * core;
        phases.push_back(last);
        // TransformerEngine's ring sends and receives without a batch (context_parallel.py, batch_p2p_comm; PyTorch's
        // ProcessGroupNCCL::pointToPoint).
        GroupCall send{CommKind::context, Collective::sendrecv, block, rings * (c - 1)};
        send.pairs = true;
        phases.push_back({((c - 1) / c) * core, {send}});
        return;
    }
    GroupCall call{CommKind::context, Collective::all_gather, c * block, rings};
    if (workload.context_by == ContextBy::ulysses) {
        const double there_and_back = block + element * (model.query_width() + model.value_width());
        call = {CommKind::context, Collective::all_to_all, there_and_back, std::max(1.0, rings - 1)};
    }
    phases.push_back({{}, {call}});
    last.work += core;
    phases.push_back(last);
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
    } else if (workload.recompute == Recompute::selective && costs.unfused_attention()) {
        core += attention(false);  // a fused kernel recomputes anyway
    }
    return layer(experts, work, core, 1 + again, 2 + again);
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
    if (layout.place(stage, chunk) == 0) {
        ends.before = embedding();
        ends.front_parameters = embedding_parameters(model) / layout.t;
    }
    if (layout.place(stage, chunk) + 1 == layout.pieces()) {
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
    const double sparse = model.experts > layout.e ? costs.framework_or("host.experts", 0) : 0;
    double seconds = 0;
    for (int i = 0; i < layers.count; ++i) { seconds += dense + (model.has_experts(layers.first + i) ? sparse : 0); }
    const bool again = !forward && (workload.recompute == Recompute::full || workload.recompute == Recompute::half);
    return seconds * (again ? workload.recompute == Recompute::full ? 2 : 1.5 : 1);
}

GroupCall LayerCosts::boundary() const {
    const double bytes = element_bytes(workload.precision) * layout.tokens * model.hidden / layout.t;
    return {CommKind::pipeline, Collective::sendrecv, bytes, 1};
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
    const double widths = 2 * model.hidden + model.query_width() + model.key_value_width() + model.value_width();
    return {std::min(1.0, workload.adapters * widths / layer_parameters(model, false)) * held.shared, 0};
}

double LayerCosts::stepped(const Held& trained) const {
    if (workload.sharding == Sharding::ddp || layout.shard <= 1) { return trained.total(); }
    // Of two copies each steps its half of what they share out.
    return (trained.shared / layout.shard + trained.experts / layout.expert_shard()) / layout.copies();
}

}  // namespace fabricast::inline training
