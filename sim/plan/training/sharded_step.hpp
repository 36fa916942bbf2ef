#pragma once
// A step whose ranks shard gradients, or parameters too.

#include "sim/plan/training/step_builder.hpp"

namespace fabricast::inline training {

void add_sharded_step(StepBuilder& builder);

}  // namespace fabricast::inline training
