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

// Bytes that each rank sends in a ring of `ranks` ranks, for a call of `bytes` bytes.
inline double ring_sent(Collective collective, double bytes, double ranks) {
    const double share = (ranks - 1) / ranks;
    return collective == Collective::all_reduce ? 2 * share * bytes
           : collective == Collective::sendrecv ? bytes
                                                : share * bytes;
}

// The volumes of an inner pipeline stage, over all its micro-batches.
inline CommVolumes volumes(const ModelShape& model, const TrainingWorkload& workload, const Layout& layout,
                           const LayerCosts& costs) {
    CommVolumes out;
    const double layers = model.layers / layout.p;
    const double m = layout.micro_batches;
    out.activation_bytes = 2 * layout.tokens * model.hidden;
    for (const Phases& phases : {costs.forward(false), costs.backward(false)}) {
        for (const Phase& phase : phases) {
            for (const GroupCall& call : phase.calls) {
                if (call.kind == CommKind::tensor) {
                    // A gather and a scatter of the same buffer are the two halves of one all-reduce.
                    const double whole = call.collective == Collective::all_reduce ? 1 : 0.5;
                    out.tensor_payload += whole * call.times * call.bytes * layers * m;
                    out.tensor_sent += ring_sent(call.collective, call.bytes, layout.t) * call.times * layers * m;
                }
            }
        }
    }
    const GroupCall boundary = costs.boundary();
    out.pipeline_sent = layout.p > 1 ? 2 * boundary.bytes * layout.v * m : 0;
    const double width = workload.gradient_bytes > 0 ? workload.gradient_bytes : 4;
    out.gradient_bytes = width * parameters(model) / layout.t / layout.p;
    out.data_sent = ring_sent(Collective::all_reduce, out.gradient_bytes, layout.replicas());
    return out;
}

}  // namespace fabricast
