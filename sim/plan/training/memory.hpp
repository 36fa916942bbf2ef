#pragma once
// What a step holds in the memory of the fullest GPU.

#include "sim/plan/training/layer_costs.hpp"

namespace fabricast {

struct StepMemory {
    double parameters = 0, gradients = 0, optimizer = 0, activations = 0;  // bytes
    double reserved = 0;  // CUDA's context, NCCL's buffers, workspaces: the framework's figure memory.reserved
    double total() const { return parameters + gradients + optimizer + activations + reserved; }
    double low80 = 0, high80 = 0;  // of the total: what kernels keep and what is reserved varies
};

// Of the first stage, which keeps most micro-batches, or the last, which holds the logits: the larger. Gradients are
// held as wide as they travel. docs/training.md, memory, has each term.
StepMemory step_memory(const ModelShape& model, const TrainingWorkload& workload, const Layout& layout,
                       const ComputeCosts& costs, const LayerCosts& layers);

// Bytes of one gradient, on the wire and in memory: the workload's, or what the sharding is usually run with.
double gradient_bytes(const TrainingWorkload& workload);

}  // namespace fabricast
