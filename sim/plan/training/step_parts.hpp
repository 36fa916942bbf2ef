#pragma once
// What both kinds of step have: a chunk's phases cut into pieces whose gradients are reduced together, and the end.

#include <vector>

#include "sim/plan/training/layer_costs.hpp"
#include "sim/plan/training/pipeline_order.hpp"
#include "sim/plan/training/step_builder.hpp"

namespace fabricast {

struct StepContext {
    const TrainingWorkload& workload;
    const ModelShape& model;
    const Layout& layout;
    const ComputeCosts& costs;
    const LayerCosts& layers;

    // Bytes of one gradient on the wire.
    double gradient_bytes() const;
};

// Parameters held on one GPU: those that all data ranks copy, and experts'.
struct Held {
    double shared = 0, experts = 0;
    double total() const { return shared + experts; }
    Held& operator+=(const Held& other);
};

// Phases of one layer range of one micro-batch and the parameters behind them.
struct Piece {
    Phases forward, backward;
    Held held;
};

// Layers [first, first + count) as one piece.
Piece layers_piece(const StepContext& context, double first, double count);

// A convolutional network in pieces of at least `bucket` bytes of gradients, which fill from the last layer on.
std::vector<Piece> network_pieces(const StepContext& context, double bucket);

// In front of a chunk's layers and behind them: the embedding in the model's first chunk, the head in its last.
struct ChunkEnds {
    Work before, after, head_back;  // embedding, forward and backward alike; head; the head's backward
    double front_parameters = 0, back_parameters = 0;
};
ChunkEnds chunk_ends(const StepContext& context, std::uint32_t stage, std::uint32_t chunk);

StepOp compute_op(std::uint32_t stage, const PipelineAction& action);

// Optimizer on every stage once all gradients are there, then what the framework adds. Convolutional models as well.
Ends finish_step(StepBuilder& builder, const StepContext& context, const std::vector<Held>& held_of_stage,
                 const Ends& after);

}  // namespace fabricast
