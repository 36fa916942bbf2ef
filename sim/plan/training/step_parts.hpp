#pragma once
// What replicated and sharded steps have in common: a chunk's phases, cut into pieces whose gradients are reduced
// together, and the end of the step.

#include <vector>

#include "sim/plan/training/layer_costs.hpp"
#include "sim/plan/training/step_builder.hpp"

namespace fabricast::inline training {

// Phases of a range of layers for one micro-batch, and the parameters of these layers.
struct Piece {
    Phases forward, backward;
    Held held;
};

// These layers as one piece.
Piece layers_piece(const LayerCosts& step, const Layers& layers);

// A convolutional network in pieces of at least `bucket` bytes of gradients, filled from the last layer backwards.
std::vector<Piece> network_pieces(const LayerCosts& step, double bucket);

// What runs before and after a chunk's layers: the embedding in the model's first chunk, the head in its last.
struct ChunkEnds {
    Work before, after, head_back;  // embedding, the same forward and backward; head; the head's backward
    double front_parameters = 0, back_parameters = 0;
};
ChunkEnds chunk_ends(const LayerCosts& step, std::uint32_t stage, std::uint32_t chunk);

// A call of `width` bytes for each shared parameter over these groups, then one for the experts' if there are any.
Ends call_on(StepBuilder& builder, Collective collective, double width, const Held& held, const Groups& groups,
             const StepOp& what, const Ends& after);

// Runs the optimizer on every stage after `after`, then adds the fixed time of the framework.
Ends finish_step(StepBuilder& builder, const std::vector<Held>& held_of_stage, const Ends& after);

}  // namespace fabricast::inline training
