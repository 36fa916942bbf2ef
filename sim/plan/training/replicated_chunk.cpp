#include "sim/plan/training/replicated_chunk.hpp"

#include <algorithm>
#include <cmath>

namespace fabricast::inline training {

namespace {

// Gradients of a chunk are reduced in at most this many buckets, because more would hardly change the result.
constexpr double most_buckets = 12;

double bucket_bytes(const LayerCosts& step) {
    const auto asked = static_cast<double>(step.workload.bucket.count);
    return asked > 0 ? asked
                     : std::max(step.costs.framework("bucket"),
                                step.costs.framework_or("bucket.per_rank", 0) * step.layout.replicas());
}

// Megatron cuts only the chunk whose gradients come last into buckets: others are reduced while it computes.
bool one_bucket(const LayerCosts& step, std::uint32_t stage, std::uint32_t place) {
    return stage + place > 0 && step.costs.framework_or("bucket.last_chunk", 0) > 0;
}

// The layers of each bucket, filled with as many parameters as every other: a large embedding or output matrix leaves
// fewer layers to its bucket, or none, so that the first reduction begins as early as it does in a trainer, which takes
// gradients as they come (torch.nn.parallel.DistributedDataParallel; Megatron-LM param_and_grad_buffer.py; InternLM).
std::vector<Layers> cuts(const Layers& layers, double of_layers, double front, double back, double buckets) {
    const double each = (front + of_layers + back) / buckets;
    std::vector<Layers> out;
    double from = 0;
    for (int b = 1; b <= buckets; ++b) {
        const double reached = std::round((b * each - front) * layers.count / of_layers);
        const double to = b < buckets ? std::clamp(reached, 0.0, layers.count) : layers.count;
        const bool ends = (b == 1 && front > 0) || (b == buckets && back > 0);
        if (to > from || ends || (b == buckets && out.empty())) { out.push_back({layers.first + from, to - from}); }
        from = to;
    }
    return out;
}

ReplicatedChunk network(const LayerCosts& step) {
    ReplicatedChunk chunk;
    chunk.pieces = step.network_pieces(bucket_bytes(step));
    for (const Piece& piece : chunk.pieces) {
        chunk.whole.forward.insert(chunk.whole.forward.end(), piece.forward.begin(), piece.forward.end());
        chunk.whole.backward.insert(chunk.whole.backward.begin(), piece.backward.begin(), piece.backward.end());
        chunk.whole.held += piece.held;
    }
    return chunk;
}

void leave_weights(ReplicatedChunk& chunk) {
    for (Piece& piece : chunk.pieces) {
        chunk.weights.emplace_back();
        for (Phase& phase : piece.backward) { chunk.weights.back() += phase.work.take_weights(); }
    }
    for (Phase& phase : chunk.whole.backward) { phase.work.take_weights(); }
}

}  // namespace

ReplicatedChunk replicated_chunk(const LayerCosts& step, std::uint32_t stage, std::uint32_t place) {
    if (step.model.convolutional()) { return network(step); }
    const bool head_waits = step.workload.deferred_embedding;
    const Layers layers = step.layout.layers_of(step.model, stage, place);
    ReplicatedChunk chunk;
    chunk.whole = step.piece(layers);
    chunk.ends = step.ends(stage, place);
    if (head_waits) { chunk.head_weights = chunk.ends.head_back.take_weights(); }
    chunk.whole.held.shared += chunk.ends.front_parameters + chunk.ends.back_parameters;
    const double wanted =
        one_bucket(step, stage, place) ? 1 : std::ceil(4 * chunk.whole.held.total() / bucket_bytes(step));
    const double buckets = std::max(1.0, std::min({wanted, most_buckets, layers.count}));
    const double front = chunk.ends.front_parameters, back = head_waits ? 0 : chunk.ends.back_parameters;
    for (const Layers& cut : cuts(layers, chunk.of_layers(), front, back, buckets)) {
        chunk.pieces.push_back(cut.count > 0 ? step.piece(cut) : Piece{});
    }
    chunk.pieces.front().held.shared += front;
    chunk.pieces.back().held.shared += back;
    if (defers_weights(step.layout)) { leave_weights(chunk); }
    return chunk;
}

}  // namespace fabricast::inline training
