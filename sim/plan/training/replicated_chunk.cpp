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
    for (int b = 0; b < buckets; ++b) {
        const double from = std::floor(b * layers.count / buckets);
        const double to = std::floor((b + 1) * layers.count / buckets);
        chunk.pieces.push_back(step.piece({layers.first + from, to - from}));
    }
    chunk.pieces.front().held.shared += chunk.ends.front_parameters;
    if (!head_waits) { chunk.pieces.back().held.shared += chunk.ends.back_parameters; }
    if (defers_weights(step.layout)) { leave_weights(chunk); }
    return chunk;
}

}  // namespace fabricast::inline training
