#pragma once
// What a stage of a replicated step (ddp, zero-1) has of the model, in the pieces whose gradients are reduced together.

#include "sim/plan/training/step_builder.hpp"

namespace fabricast::inline training {

// One chunk of a stage: whole, and in pieces for the micro-batch whose gradients are reduced or whose parameters are
// gathered.
struct ReplicatedChunk {
    Piece whole;
    std::vector<Piece> pieces;  // in forward order
    ChunkEnds ends;
    std::vector<Ends> gathered;  // by piece: the end of its gathering; empty: nothing is gathered
    std::vector<Work> weights;   // by piece: gradients of weights that wait (zero-bubble)
    Work head_weights;           // of a micro-batch: gradients of the output matrix that wait (deferred_embedding)
    struct Ready {               // the gradients of a piece
        Ends ends;
        std::uint32_t lanes = 0;
    };
    std::vector<Ready> ready;  // by piece
    double of_layers() const { return whole.held.total() - ends.front_parameters - ends.back_parameters; }
};

// Gradients of weights wait until the stage has nothing else to do.
inline bool defers_weights(const Layout& layout) { return layout.order >= PipelineOrder::zero_bubble; }

// The stage's chunk, with nothing gathered or ready yet.
ReplicatedChunk replicated_chunk(const LayerCosts& step, std::uint32_t stage, std::uint32_t place);

}  // namespace fabricast::inline training
