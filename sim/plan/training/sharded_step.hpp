#pragma once
// A step whose ranks share out parameters or gradients.

#include "sim/plan/training/step_parts.hpp"

namespace fabricast {

void add_sharded_step(StepBuilder& builder, const StepContext& context);

}  // namespace fabricast
