#pragma once
// Zero-1 of trainers that give each rank whole tensors: ranks broadcast theirs one after another.

#include "sim/plan/training/step_builder.hpp"

namespace fabricast::inline training {

// Parameters that are broadcast: some of `all` that the stage's layers have, and embedding and head, which are tensors
// of their own.
struct TensorBroadcast {
    double layers = 0, all = 0, front = 0, back = 0;
    double bytes = 2;  // of a parameter
};

// After `after`, on the stage of `what`. A layer has `broadcast.tensors` of the framework: no more ranks have any.
Ends broadcast_tensors(StepBuilder& builder, const TensorBroadcast& parameters, const StepOp& what, Ends after);

}  // namespace fabricast::inline training
