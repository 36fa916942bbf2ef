#include "sim/plan/training/tensor_broadcast.hpp"

#include <algorithm>

namespace fabricast::inline training {

Ends broadcast_tensors(StepBuilder& builder, const TensorBroadcast& parameters, const StepOp& what, Ends after) {
    const LayerCosts& step = builder.step();
    const Groups groups = step.layout.sharded(what.stage);
    const auto send = [&](double of, double times) {
        const GroupCall one{CommKind::data, Collective::broadcast, parameters.bytes * of / times, times};
        after = builder.call(one, groups, what, Layout::all, after);
    };
    const double tensors = step.costs.framework("broadcast.tensors") * step.model.layers / step.layout.p;
    const double owners = std::min<double>(groups.size, tensors);
    if (parameters.layers > 0) { send(parameters.layers, owners * parameters.layers / parameters.all); }
    send(parameters.front, 1);
    send(parameters.back, 1);
    return after;
}

}  // namespace fabricast::inline training
