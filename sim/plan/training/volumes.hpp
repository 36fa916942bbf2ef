#pragma once
// Bytes that one GPU sends in a step, by purpose: the published formulas, with the sizes that the schedule moves.

#include "sim/plan/training/layer_costs.hpp"

namespace fabricast {

struct CommVolumes {
    double activation_bytes = 0;  // one micro-batch's activations between two layers, all tensor ranks
    double tensor_payload = 0;    // summed sizes of the tensor-parallel all-reduces; a gather or scatter counts half
    double tensor_sent = 0;       // what a ring sends for that payload
    double pipeline_sent = 0;     // by an inner stage
    double gradient_bytes = 0;    // gradients of the parameters on this GPU
    double data_sent = 0;         // by a ring all-reduce of these gradients
};

// The volumes of an inner pipeline stage, over all its micro-batches.
CommVolumes volumes(const ModelShape& model, const TrainingWorkload& workload, const Layout& layout,
                    const LayerCosts& costs);

// Bytes that each rank sends in a ring of `ranks` ranks, for a call of `bytes` bytes.
double ring_sent(Collective collective, double bytes, double ranks);

}  // namespace fabricast
