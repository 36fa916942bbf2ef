#pragma once
// A step whose ranks have all parameters and gradients of their stage.

#include "sim/plan/training/step_builder.hpp"

namespace fabricast::inline training {

// A step with ddp or zero-1, with or without a pipeline. sharded_step.hpp has the other kinds (zero-2, zero-3, hsdp).
void add_replicated_step(StepBuilder& builder);

}  // namespace fabricast::inline training
