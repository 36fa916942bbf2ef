#pragma once
// What both kinds of step have: a chunk's phases cut into pieces whose gradients are reduced together, and the end.

#include <vector>

#include "sim/workloads/layer_costs.hpp"
#include "sim/workloads/step_builder.hpp"

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
};

// Phases of one layer range of one micro-batch and the parameters behind them.
struct Piece {
    Phases forward, backward;
    Held held;
};

// Layers [first, first + count) as one piece.
Piece layers_piece(const StepContext& context, double first, double count);

// Optimizer on every stage once all gradients are there, then what the framework adds. Convolutional models as well.
Ends finish_step(StepBuilder& builder, const StepContext& context, const std::vector<Held>& held_of_stage,
                 const Ends& after);

// A model whose parameters are shared out (zero-2, zero-3, hsdp) on one pipeline stage: gathers and scatters layer by
// layer.
void add_sharded_step(StepBuilder& builder, const StepContext& context);

}  // namespace fabricast
