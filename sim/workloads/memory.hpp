#pragma once
// What a step holds in the memory of the fullest GPU.

#include "sim/workloads/layer_costs.hpp"

namespace fabricast {

struct StepMemory {
    double parameters = 0, gradients = 0, optimizer = 0, activations = 0;  // bytes
    double total() const { return parameters + gradients + optimizer + activations; }
};

// Of the first stage, which keeps most micro-batches, or the last, which holds the logits: the larger. Activations as
// Korthikanti et al. 2022, 4: 34 bytes a token and hidden element with a fused attention, shared out by sequence
// parallelism, 2 with full recomputation.
StepMemory step_memory(const ModelShape& model, const TrainingWorkload& workload, const Layout& layout,
                       const LayerCosts& costs);

}  // namespace fabricast
