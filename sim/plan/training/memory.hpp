#pragma once
// The memory that a step needs on the fullest GPU.

#include "sim/plan/training/layer_costs.hpp"

namespace fabricast::inline training {

struct StepMemory {
    double parameters = 0, gradients = 0, optimizer = 0, activations = 0;  // bytes
    double reserved = 0;  // CUDA's context, NCCL's buffers, workspaces: the framework's figure memory.reserved; bytes
    double total() const { return parameters + gradients + optimizer + activations + reserved; }
    double low80 = 0, high80 = 0;  // of the total: activations and reserved memory vary
};

// The larger of two: the first stage, which keeps most micro-batches, and the last, which has the logits. Gradients are
// stored as wide as they are sent. docs/training.md, memory, explains each term.
StepMemory step_memory(const LayerCosts& step);

// Bytes that a step takes with three chances in four, for those who choose among layouts: the total alone would leave a
// layout an even chance to run out of memory.
double likely_bytes(const StepMemory& memory);

// Bytes that a GPU keeps of one micro-batch's pass through these layers, on it or in host memory.
double kept_activations(const LayerCosts& step, const Layers& layers);

}  // namespace fabricast::inline training
