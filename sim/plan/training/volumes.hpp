#pragma once
// Bytes that one GPU sends in a step, by what for: the published formulas, from the same sizes that the schedule moves.

#include "sim/plan/training/layer_costs.hpp"

namespace fabricast {

struct CommVolumes {
    double activation_bytes = 0;  // one micro-batch's activations at a layer's boundary, all tensor ranks
    double tensor_payload = 0;    // summed sizes of the tensor-parallel all-reduces, or of their halves
    double tensor_sent = 0;       // what a ring sends of it
    double pipeline_sent = 0;     // by an inner stage
    double gradient_bytes = 0;    // of the parameters here
    double data_sent = 0;         // by a ring all-reduce of them
};

// Of an inner pipeline stage, over all its micro-batches.
CommVolumes volumes(const ModelShape& model, const TrainingWorkload& workload, const Layout& layout,
                    const LayerCosts& costs);

// Bytes that a ring of `ranks` sends of a call of `bytes`, from each rank.
double ring_sent(Collective collective, double bytes, double ranks);

}  // namespace fabricast
